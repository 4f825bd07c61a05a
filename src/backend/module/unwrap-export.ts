import { dirname } from 'node:path';
import { type Deadline, withinDeadline } from '../../lease/deadline.js';
import { InvalidConfigError } from '../../lease/errors.js';
import { escapeText } from '../../lease/text.js';
import { ACCEPTED, describeValue, type ExportKind, kindOf } from './export-kind.js';
import { findPackageRoot } from './package-root.js';
import { describeThrown } from './thrown.js';

/** What an application uses for leases, and how it was got out of the module. */
export interface ChosenBackend {
  /** A provider, a pubsub, or what has a `getLeaseProvider()`: to be resolved for leasing. */
  readonly backend: unknown;
  /** The way to it, such as `['export mastra', '.pubsub']`. */
  readonly path: readonly string[];
}

/** How many steps may lead from an export to the backend: more would be going round. */
const MAX_STEPS = 5;

/** A value on the way to the backend. */
export interface Waypoint {
  readonly value: unknown;
  /** What it would be called in code, for errors. */
  readonly called: string;
  readonly path: readonly string[];
}

/** Follows an export of `file` to the backend that it stands for. */
export async function unwrapExport(at: Waypoint, file: string, deadline: Deadline): Promise<ChosenBackend> {
  const { value, called, path } = at;
  const kind = kindOf(value);
  if (kind === 'backend') return { backend: value, path };
  if (kind === undefined || path.length > MAX_STEPS) {
    throw new InvalidConfigError(
      `${escapeText(file)}: ${escapeText(called)} is ${describeValue(value)}, which is no backend`,
      { remedy: `expected ${ACCEPTED}` },
    );
  }
  const step = STEPS[kind];
  const next = step.called(called);
  const made = await attempt(() => step.take(value), next, file, deadline);
  return unwrapExport({ value: made, called: next, path: [...path, step.shown] }, file, deadline);
}

/** How each kind of export is followed to what it stands for. */
const STEPS = {
  mastra: {
    take: (value) => Reflect.get(Object(value), 'pubsub'),
    called: (name) => `${name}.pubsub`,
    shown: '.pubsub',
  },
  class: {
    take: (value) => (typeof value === 'function' ? Reflect.construct(value, []) : undefined),
    called: (name) => `new ${name}()`,
    shown: 'a new instance',
  },
  function: {
    take: (value) => (typeof value === 'function' ? value() : undefined),
    called: (name) => `${name}()`,
    shown: 'its result',
  },
  promise: { take: (value) => value, called: (name) => `await ${name}`, shown: 'its value' },
} as const satisfies Record<
  Exclude<ExportKind, 'backend'>,
  { take: (value: unknown) => unknown; called: (name: string) => string; shown: string }
>;

/** Runs what the application made; what fails in there is told as its own. */
async function attempt(
  take: () => unknown,
  called: string,
  file: string,
  deadline: Deadline,
): Promise<unknown> {
  const shown = `${escapeText(file)}: ${escapeText(called)}`;
  const taking = (async () => take())().catch((error: unknown) => {
    const root = findPackageRoot(dirname(file)) ?? dirname(file);
    throw new InvalidConfigError(`${shown} failed: ${describeThrown(error, root)}`);
  });
  return withinDeadline(taking, deadline, () => new InvalidConfigError(`${shown} did not settle in time`));
}
