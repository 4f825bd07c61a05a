import type { Command } from 'commander';
import { assertKey, assertOwner } from '../lease/key.js';
import { unescapeText } from '../lease/text.js';
import { DEFAULT_TTL_MS, MAX_TTL_MS, readDuration } from '../lease/ttl.js';
import type { RuntimeSettings } from '../operations/check-setting.js';
import type { Quiet } from '../operations/quiet-guard.js';
import { printable } from '../output/printable.js';
import type { CliIo } from './io.js';
import { UsageError } from './usage-error.js';

/** The options that every command has, as commander hands them over. */
export interface CommonOptions {
  readonly backend?: string;
  readonly context?: string;
  readonly config?: string;
  readonly envFile?: string;
  /** `--no-introspect` makes it false. */
  readonly introspect: boolean;
  readonly allowNoop?: boolean;
  readonly probe?: boolean;
  readonly keyPrefix?: string;
  readonly username?: string;
  readonly passwordFile?: string;
  readonly tlsServername?: string;
  readonly tlsCa?: string;
  readonly tlsInsecure?: boolean;
  readonly timeout?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly color: boolean;
}

/** Declares the options that every command has. */
export function withCommonOptions(command: Command, timeout: string): Command {
  return command
    .optionsGroup('Backend:')
    .option(
      '--backend <name>',
      'redis://…, sqlite:PATH, local, ./module.ts#export or mastra:DIR (env: MASTRA_LEASE_BACKEND)',
    )
    .option('--context <name>', 'a backend of the config, by its name (env: MASTRA_LEASE_CONTEXT)')
    .option('--config <path>', 'this config, and no other')
    .option('--timeout <duration>', timeout)
    .optionsGroup('Redis:')
    .option(
      '--key-prefix <prefix>',
      "the application's key prefix (env: MASTRA_LEASE_KEY_PREFIX; default mastra:topic)",
    )
    .option('--username <name>', 'user name (env: MASTRA_LEASE_USERNAME)')
    .option(
      '--password-file <path>',
      'file that holds the password (env: MASTRA_LEASE_PASSWORD, the password)',
    )
    .option('--tls-servername <name>', 'name to expect in the certificate, as through a tunnel')
    .option('--tls-ca <path>', 'PEM file of the certificate authorities to trust')
    .option('--tls-insecure', 'accept any certificate')
    .optionsGroup("An application's module:")
    .option('--env-file <path>', "its variables, instead of its project's files")
    .option('--no-introspect', 'do not read off it where its leases are')
    .option('--probe', 'prove by one scratch lease that the listing looks where it does')
    .option('--allow-noop', 'where it cannot lease, do as the runtime does: every caller wins')
    .optionsGroup('Output:')
    .option('--json', 'one JSON object a line')
    .option('-q, --quiet', 'no talk on stderr but errors')
    .option(
      '-v, --verbose',
      'tell on stderr how the backend was found, what was read and sent, and how long it took',
    )
    .option('--no-color', 'no colour (env: NO_COLOR, FORCE_COLOR)');
}

/** The options that name a key. */
export interface KeyOptions {
  readonly thread?: string;
  readonly resource?: string;
  readonly literal?: boolean;
}

export function withKeyOptions(command: Command): Command {
  return command
    .optionsGroup('Key:')
    .option('--thread <id>', "a thread's lease by its id; alone, the held thread with that id")
    .option('--resource <id>', 'the resource of --thread')
    .option('--literal', 'thread:abc is the key itself, not the thread abc');
}

/** The options of every command that may write, about the record of its writes. */
export interface AuditOptions {
  readonly auditFile?: string;
  readonly reason?: string;
}

export function withAuditOptions(command: Command): Command {
  return command
    .optionsGroup('Audit:')
    .option('--reason <text>', 'why, for the audit line')
    .option(
      '--audit-file <file>',
      'append a line of JSON for each write, or send none (env: MASTRA_LEASE_AUDIT_FILE)',
    );
}

/** The options of every command that writes once. */
export interface WriteOptions extends AuditOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** The options of `--force`. */
export interface ForceOptions extends WriteOptions {
  readonly force?: boolean;
}

/** The options of a command that takes a lease from its owner. */
export interface TakingOptions extends ForceOptions {
  readonly ifQuietFor?: string;
  readonly evenIfActive?: boolean;
  readonly verify?: boolean;
}

export function withWriteOptions(command: Command): Command {
  return withAuditOptions(command)
    .optionsGroup('Writing:')
    .option('--dry-run', 'say what would be done, and send no write');
}

export function withForceOptions(command: Command): Command {
  return withWriteOptions(command)
    .option('--force', 'name the holder as it is shown; asks first')
    .option('-y, --yes', 'do not ask (needed by --force where nobody can be asked)');
}

export function withTakingOptions(command: Command): Command {
  return withForceOptions(command)
    .option(
      '--if-quiet-for <duration>',
      "only when the thread's run produced nothing for so long (default with --force: 30s)",
    )
    .option('--even-if-active', 'with --force: even when its run is at work')
    .option('--verify', 'look again after a third of the lease time: is the old owner back?');
}

/** What is asked of a thread's run before its lease is broken, where nobody says otherwise. */
export const DEFAULT_QUIET: Quiet = { forMs: 30_000, mustBeSeen: false };

/** How quiet a thread's run must be for its lease to be taken; `undefined`: it is not looked at. */
export function parseQuiet({ force, ifQuietFor, evenIfActive }: TakingOptions): Quiet | undefined {
  if (evenIfActive && ifQuietFor !== undefined)
    throw new UsageError('Expected --if-quiet-for or --even-if-active, got both');
  if (evenIfActive && !force) throw new UsageError('Expected --force with --even-if-active');
  if (ifQuietFor !== undefined)
    return { forMs: parseDuration(ifQuietFor, '--if-quiet-for'), mustBeSeen: true };
  return force && !evenIfActive ? DEFAULT_QUIET : undefined;
}

/** A duration of an option or a variable, in milliseconds. */
export function parseDuration(text: string, name: string): number {
  const reading = readDuration(text);
  if ('ms' in reading) return reading.ms;
  if (reading.problem === 'no-unit') {
    const { number } = reading;
    throw new UsageError(
      `Expected ${name} with a unit (15s, 500ms), got "${number}": is it ${number}s or ${number}ms?`,
    );
  }
  throw new UsageError(
    `Expected ${name} as a duration such as 500ms, 15s, 2m or 1h, got "${printable(text)}"`,
  );
}

/** A TTL: a flag, then the runtime's own variable, then the runtime's default, in milliseconds. */
export function parseTtl(flag: string | undefined, env: CliIo['env']): number {
  if (flag === undefined) return threadTtlMs(env);
  const ttlMs = parseDuration(flag, '--ttl');
  if (Number.isInteger(ttlMs) && ttlMs >= 1 && ttlMs <= MAX_TTL_MS) return ttlMs;
  throw new UsageError(`Expected --ttl from 1ms to 24h in whole milliseconds, got "${printable(flag)}"`);
}

/** The lease time that the runtime uses in this environment, in milliseconds. */
export function threadTtlMs(env: CliIo['env']): number {
  const name = 'MASTRA_AGENT_THREAD_LEASE_TTL_MS';
  const text = env[name];
  if (!text) return DEFAULT_TTL_MS;
  const ttlMs = Number(text);
  if (/^\d+$/.test(text) && ttlMs >= 1 && ttlMs <= MAX_TTL_MS) return ttlMs;
  throw new UsageError(
    `Expected ${name} as whole milliseconds from 1 to ${MAX_TTL_MS}, got "${printable(text)}"`,
  );
}

/** `--timeout`, in milliseconds. */
export function parseTimeout(flag: string | undefined, defaultMs: number): number {
  if (flag === undefined) return defaultMs;
  const ms = parseDuration(flag, '--timeout');
  if (ms > 0) return ms;
  throw new UsageError(`Expected --timeout of more than 0, got "${printable(flag)}"`);
}

/** A key, an owner or an id in its written form. */
export function parseWritten(written: string, name: string): string {
  const read = unescapeText(written);
  if ('text' in read) return read.text;
  throw new UsageError(`${name} cannot be read: ${read.problem}`);
}

/** A key in its written form. */
export function parseKeyArgument(written: string): string {
  if (/^hex:(?:[0-9a-f]{2})+$/.test(written)) {
    throw new UsageError(`${written} is how a key that is not UTF-8 is listed: no argument can name it`);
  }
  return assertKey(parseWritten(written, 'The key'));
}

/** An owner in its written form. */
export function parseOwnerOption(written: string, name: string): string {
  const owner = parseWritten(written, name);
  if (owner === '') throw new UsageError(`Expected an owner after ${name}, got an empty one`);
  return assertOwner(owner);
}

/** The lease settings that the runtime would use in this environment. */
export function runtimeSettings(env: CliIo['env']): RuntimeSettings {
  const ttlMs = threadTtlMs(env);
  const name = 'MASTRA_AGENT_THREAD_LEASE_RENEW_INTERVAL_MS';
  const text = env[name];
  const isFromEnvironment = Boolean(text || env.MASTRA_AGENT_THREAD_LEASE_TTL_MS);
  if (!text) return { ttlMs, renewIntervalMs: Math.floor(ttlMs / 3), isFromEnvironment };
  if (/^[1-9]\d*$/.test(text)) return { ttlMs, renewIntervalMs: Number(text), isFromEnvironment };
  throw new UsageError(`Expected ${name} as whole milliseconds from 1, got "${printable(text)}"`);
}
