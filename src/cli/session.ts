import { readFileSync } from 'node:fs';
import { type Access, type LocatedBackend, locateBackend } from '../backend/locate.js';
import { type ConnectionSettings, openBackend } from '../backend/open.js';
import type { Backend } from '../lease/backend.js';
import type { OperationContext } from '../operations/context.js';
import { printable } from '../output/printable.js';
import { CommandBudget } from './budget.js';
import type { CliIo } from './io.js';
import { type CommonOptions, parseTimeout, parseWritten } from './options.js';
import type { Printer } from './printer.js';
import { UsageError } from './usage-error.js';

/** What a command runs in: its backend, its time, its way to print. */
export interface Session {
  readonly io: CliIo;
  readonly printer: Printer;
  readonly budget: CommandBudget;
  readonly context: OperationContext;
}

/** The milliseconds that a one-shot command, or one call of a longer one, may take by default. */
const DEFAULT_TIMEOUT_MS = 5_000;

/** What opening a session depends on, beside the options that every command has. */
export interface SessionOptions {
  readonly access: Access;
  /** Whether `--timeout` bounds the whole command, or, until it is given, each call. */
  readonly bounds: 'command' | 'call';
  readonly signal: AbortSignal;
}

/** Finds and opens the backend that the options and the environment name. Nothing is connected yet. */
export async function openSession(
  io: CliIo,
  printer: Printer,
  options: CommonOptions,
  { access, bounds, signal }: SessionOptions,
): Promise<Session> {
  const timeoutMs = parseTimeout(options.timeout, DEFAULT_TIMEOUT_MS);
  const isWhole = bounds === 'command' || options.timeout !== undefined;
  const budget = isWhole
    ? CommandBudget.whole(timeoutMs, io.clock)
    : CommandBudget.eachCall(timeoutMs, io.clock);
  const located = locateBackend({
    backend: options.backend,
    access,
    env: io.env,
    platform: io.platform,
    home: io.home(),
  });
  const settings = readConnectionSettings(io, options, located);
  if (settings.tls?.insecure) {
    await printer.warn(
      "warning: --tls-insecure: the server's certificate is not checked, so anyone may be answering",
    );
  }
  const backend: Backend = await openBackend(located, { ...settings, access, budget: budget.forCall });
  return { io, printer, budget, context: { backend, clock: io.clock, signal } };
}

const REDIS_FLAGS = {
  keyPrefix: '--key-prefix',
  username: '--username',
  passwordFile: '--password-file',
  tlsServername: '--tls-servername',
  tlsCa: '--tls-ca',
  tlsInsecure: '--tls-insecure',
} as const;

function readConnectionSettings(
  io: CliIo,
  options: CommonOptions,
  { spec }: LocatedBackend,
): ConnectionSettings {
  if (spec.kind !== 'redis') {
    for (const [name, flag] of Object.entries(REDIS_FLAGS)) {
      if (options[name as keyof typeof REDIS_FLAGS] !== undefined) {
        throw new UsageError(
          `${flag} is for Redis, and the backend is ${spec.kind === 'sqlite' ? `sqlite:${printable(spec.path)}` : spec.kind}`,
        );
      }
    }
    return {};
  }
  const { env } = io;
  const keyPrefix = options.keyPrefix ?? (env.MASTRA_LEASE_KEY_PREFIX || undefined);
  const { tlsServername, tlsCa, tlsInsecure } = options;
  return {
    keyPrefix: keyPrefix === undefined ? undefined : parsePrefix(keyPrefix),
    username: options.username ?? (env.MASTRA_LEASE_USERNAME || undefined),
    password:
      options.passwordFile === undefined
        ? env.MASTRA_LEASE_PASSWORD || undefined
        : readOptionFile(options.passwordFile, '--password-file').replace(/\r?\n$/, ''),
    tls: {
      ...(tlsServername !== undefined && { servername: tlsServername }),
      ...(tlsCa !== undefined && { ca: readOptionFile(tlsCa, '--tls-ca') }),
      ...(tlsInsecure && { insecure: true }),
    },
  };
}

function parsePrefix(written: string): string {
  const prefix = parseWritten(written, '--key-prefix');
  if (prefix === '') throw new UsageError('Expected a prefix after --key-prefix, got an empty one');
  return prefix;
}

function readOptionFile(path: string, flag: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new UsageError(`Expected a readable file after ${flag}, got ${printable(path)} (${reason})`);
  }
}
