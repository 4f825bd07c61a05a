import { resolve } from 'node:path';
import type { ExaminedBackend } from '../backend/examined-backend.js';
import type { Access, LocatedBackend } from '../backend/locate.js';
import { examineBackend, type OpenOptions, openBackend } from '../backend/open.js';
import { UnverifiedError } from '../lease/errors.js';
import type { OperationContext } from '../operations/context.js';
import { Asking, tellLoadingBackend } from './asking.js';
import { assertWritable } from './assert-writable.js';
import { Audit } from './audit.js';
import { CommandBudget } from './budget.js';
import { readConnectionSettings } from './connection-settings.js';
import type { CliIo } from './io.js';
import { LOAD_MS, locate } from './locate.js';
import { type AuditOptions, type CommonOptions, parseDuration, parseTimeout } from './options.js';
import type { Printer } from './printer.js';
import { UsageError } from './usage-error.js';

/** What a command runs in: its backend, its time, its way to print. */
export interface Session {
  readonly io: CliIo;
  readonly printer: Printer;
  readonly budget: CommandBudget;
  readonly context: OperationContext;
  /** Whether the config says that its backend is not to be changed. */
  readonly isReadOnlyContext: boolean;
  /** Templates of URLs by name, of the config. */
  readonly links: Readonly<Record<string, string>>;
  /** What keeps the writes; absent for a command that only reads. */
  readonly audit?: Audit | undefined;
}

/** The milliseconds that a one-shot command, or one call of a longer one, may take by default. */
const DEFAULT_TIMEOUT_MS = 5_000;

/** How the connection of a command is used that goes on until it is ended. */
export interface KeptOptions {
  /** The milliseconds that a call may take, where that is less than `--timeout` says. */
  readonly callMs?: () => number;
}

/** What opening a session depends on, beside the options that every command has. */
export interface SessionOptions {
  readonly access: Access;
  /** Whether `--timeout` bounds the whole command, or, until it is given, each call. */
  readonly bounds: 'command' | 'call';
  /** A connection that stays, and never an end to the whole command by `--timeout`: each call has its own. */
  readonly kept?: KeptOptions | undefined;
  /** A write that only changes leases which are there: it makes no file for them. */
  readonly changesOnly?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** Finds and opens the backend that the options and the environment name. Nothing is connected yet. */
export async function openSession(
  io: CliIo,
  printer: Printer,
  options: CommonOptions & AuditOptions,
  { access, bounds, kept, changesOnly, signal }: SessionOptions,
): Promise<Session> {
  const located = await locate(io, printer, options, access);
  if (access === 'write') assertWritable(located);
  const opening = { access, bounds, kept, changesOnly };
  const { open, budget, asking } = await prepare(io, printer, options, located, opening);
  tellLoadingBackend(printer, located);
  const examined = await openBackend(located, open);
  const { backend } = examined;
  await tellLoaded(printer, examined);
  let audit: Audit | undefined;
  try {
    if (access === 'write') audit = new Audit(io, printer, options, located.settings, () => backend.source());
    await settle(io, options, located, examined, budget, asking);
  } catch (error) {
    await backend.close();
    throw error;
  }
  if (open.allowsNoop && backend.source().isNoop) {
    await printer.warn(
      'no leasing: this runs the fallback of the runtime, where every caller wins and nobody is ever the owner',
    );
  }
  return {
    io,
    printer,
    budget,
    context: { backend, clock: io.clock, signal, writeLog: audit?.tell },
    isReadOnlyContext: located.settings.readOnly === true,
    links: located.settings.links ?? {},
    audit,
  };
}

/** Looks at the backend that the options and the environment name, whether or not it can lease. */
export async function examineSession(
  io: CliIo,
  printer: Printer,
  options: CommonOptions,
): Promise<{
  readonly located: LocatedBackend;
  readonly examined: ExaminedBackend;
  readonly budget: CommandBudget;
}> {
  const located = await locate(io, printer, options, 'read');
  const opening = { access: 'read', bounds: 'call' } as const;
  const { open, budget, asking } = await prepare(io, printer, options, located, opening);
  tellLoadingBackend(printer, located);
  const examined = await examineBackend(located, open);
  await tellLoaded(printer, examined);
  try {
    await settle(io, options, located, examined, budget, asking);
  } catch (error) {
    await examined.close();
    throw error;
  }
  return { located, examined, budget };
}

/** What is left to do once a backend is loaded; the command's own time begins here. */
async function settle(
  io: CliIo,
  { probe }: CommonOptions,
  located: LocatedBackend,
  examined: ExaminedBackend,
  budget: CommandBudget,
  asking: Asking,
): Promise<void> {
  await io.application.settle();
  asking.begin(examined.source);
  budget.restart();
  if (probe) await probeInspector(examined, located);
}

async function prepare(
  io: CliIo,
  printer: Printer,
  options: CommonOptions,
  located: LocatedBackend,
  { access, bounds, kept, changesOnly }: Omit<SessionOptions, 'signal'>,
): Promise<{ readonly open: OpenOptions; readonly budget: CommandBudget; readonly asking: Asking }> {
  const { timeout } = located.settings;
  const configured =
    timeout === undefined ? DEFAULT_TIMEOUT_MS : parseDuration(timeout, 'timeout of the config');
  const timeoutMs = parseTimeout(options.timeout, configured);
  const isWhole = !kept && (bounds === 'command' || options.timeout !== undefined);
  const budget = isWhole
    ? CommandBudget.whole(timeoutMs, io.clock)
    : CommandBudget.eachCall(timeoutMs, io.clock);
  const settings = readConnectionSettings(io, options, located);
  if (settings.tls?.insecure) {
    await printer.warn(
      "warning: the server's certificate is not checked (--tls-insecure), so anyone may be answering",
    );
  }
  const { application } = io;
  const asking = new Asking(printer);
  return {
    budget,
    asking,
    open: {
      access,
      budget: (kind) => {
        // A command that stays tells by itself what it waits for: nobody waits for a renewal.
        if (!kept) asking.tell();
        return Math.min(budget.forCall(kind), kept?.callMs?.() ?? Number.POSITIVE_INFINITY);
      },
      isKept: kept !== undefined,
      needsFile: changesOnly,
      clock: io.clock,
      settings,
      host: {
        env: application.env,
        get cacheDir() {
          return application.cacheDir();
        },
        onEnvFiles: (files) =>
          void printer.detail(
            files.length === 0 ? 'variables: no file is read' : `variables: ${files.join(', ')}`,
          ),
      },
      loadMs: LOAD_MS,
      envFile: options.envFile === undefined ? undefined : resolve(io.cwd(), options.envFile),
      isIntrospected: options.introspect,
      allowsNoop: options.allowNoop === true,
    },
  };
}

/** What `--verbose` says of a backend that was opened. */
async function tellLoaded(printer: Printer, { identity }: ExaminedBackend): Promise<void> {
  const { className, file, unwrapping, inspector } = identity;
  await printer.detail(
    `loaded: ${[...(file === undefined ? [] : [file]), ...unwrapping, className].join(' → ')}`,
  );
  if (inspector) await printer.detail(`listing and time left: ${inspector.name} (${inspector.how})`);
}

/** Proves by one scratch lease that what lists the leases looks where the application does. It writes, so it was asked for. */
async function probeInspector(examined: ExaminedBackend, located: LocatedBackend): Promise<void> {
  if (!located.isNamed) {
    throw new UsageError(
      'Expected --backend, --context or their variables with --probe: it writes a scratch lease',
    );
  }
  assertWritable(located);
  const result = await examined.probe?.();
  if (result && !result.ok) {
    throw new UnverifiedError(`--probe: ${result.why}`, {
      remedy: 'say where the leases live by `inspect` and `keyPrefix` in the config',
    });
  }
}
