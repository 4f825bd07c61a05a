import { systemClock } from '../../lease/clock.js';
import { Deadline } from '../../lease/deadline.js';
import { InvalidConfigError } from '../../lease/errors.js';
import { escapeText } from '../../lease/text.js';
import { ACCEPTED, describeValue, kindOf, makesBackends } from './export-kind.js';
import { type ChosenBackend, unwrapExport } from './unwrap-export.js';

/** What choosing depends on. */
export interface ChooseOptions {
  /** The export that the user named; without one it is chosen. */
  readonly exportName?: string | undefined;
  /** The module, for errors. */
  readonly file: string;
  /** How long a function or a promise may take, in milliseconds. */
  readonly deadlineMs: number;
}

/** The exports that are taken before all others, in this order. */
const PREFERRED = ['mastra', 'pubsub', 'default'] as const;

/**
 * Finds the backend among a module's exports: the named one, else `mastra`, `pubsub`, `default`, else the only one that
 * fits. Classes are constructed and functions called, without arguments.
 *
 * @throws `ERR_LEASE_INVALID_CONFIG` when there is none or more than one, and when making it fails or takes too long.
 */
export async function chooseBackend(
  exports: Readonly<Record<string, unknown>>,
  options: ChooseOptions,
): Promise<ChosenBackend> {
  const name = options.exportName ?? chooseName(exports, options.file);
  if (!Object.hasOwn(exports, name)) {
    throw new InvalidConfigError(
      `${escapeText(options.file)} has no export ${escapeText(name)}; ${listExports(exports)}`,
    );
  }
  return unwrapExport(
    { value: exports[name], called: name, path: [`export ${name}`] },
    options.file,
    Deadline.after(options.deadlineMs, systemClock),
  );
}

/** What fits for certain goes before what has to be called to see: an operator's tool runs no more than it must. */
function chooseName(exports: Readonly<Record<string, unknown>>, file: string): string {
  const preferred = PREFERRED.find((name) => Object.hasOwn(exports, name) && mayFit(exports[name]));
  if (preferred !== undefined) return preferred;
  const fitting = namesOf(exports, fits);
  const names = fitting.length > 0 ? fitting : namesOf(exports, mayFit);
  const [first] = names;
  if (first === undefined) {
    throw new InvalidConfigError(
      `${escapeText(file)} exports nothing that can be a backend; ${listExports(exports)}`,
      { remedy: `expected ${ACCEPTED}` },
    );
  }
  if (names.length === 1) return first;
  throw new InvalidConfigError(
    `${escapeText(file)} has several exports that can be the backend: ${names.map(escapeText).join(', ')}`,
    { remedy: `name the one that is meant: ${escapeText(`${file}#${first}`)}` },
  );
}

/** Each value once, under its first name. */
function namesOf(
  exports: Readonly<Record<string, unknown>>,
  test: (value: unknown) => boolean,
): readonly string[] {
  const names = Object.keys(exports).filter((name) => test(exports[name]));
  return names.filter(
    (name, index) => names.findIndex((other) => exports[other] === exports[name]) === index,
  );
}

function fits(value: unknown): boolean {
  const kind = kindOf(value);
  return kind === 'backend' || kind === 'mastra' || (kind === 'class' && makesBackends(value));
}

/** A function that wants arguments is none that we can call. */
function mayFit(value: unknown): boolean {
  return fits(value) || kindOf(value) === 'promise' || (typeof value === 'function' && value.length === 0);
}

function listExports(exports: Readonly<Record<string, unknown>>): string {
  const shown = Object.entries(exports).map(([name, value]) => {
    const kind = kindOf(value);
    return `${escapeText(name)} (${kind === 'backend' ? 'a backend' : kind === 'mastra' ? 'a Mastra' : describeValue(value)})`;
  });
  return shown.length === 0 ? 'it exports nothing' : `it exports ${shown.join(', ')}`;
}
