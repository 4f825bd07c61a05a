import { lease } from '../cli/lease-cli.js';
import { BIN, type CliResult } from '../support/run-cli.js';
import { type Claim, HOLDER, NEWCOMER, type Outcome, type Situation } from './cell.js';
import type { Way } from './fault.js';

/** Longer than the leases that are there before: one that was refreshed can be told from one that was not. */
const LONG = ['--ttl', '10m'] as const;
/** How long `wait` waits, at most, for what will not come. */
const WAIT_MS = 4_000;
/** What the command of `exec` prints. */
const RAN = 'the command ran';
const FREE: Claim = { free: true };

/** A verb of the command line, in one situation. */
export interface CliVerb extends Situation {
  readonly words: (key: string) => readonly string[];
  readonly claim: (result: CliResult, key: string) => Claim | undefined;
  /** The most that its `--timeout` is, in milliseconds, where that is how long it waits. */
  readonly mostMs?: number;
  /** How often `--timeout` may pass before it ends, where that bounds each of its calls. Default once. */
  readonly calls?: number;
}

const READ = { surface: 'cli', isHeld: true, isWrite: false } as const;
const WRITE = { surface: 'cli', isHeld: true, isWrite: true } as const;

export const CLI_VERBS: readonly CliVerb[] = [
  {
    ...READ,
    verb: 'owner',
    words: (key) => ['owner', key],
    claim: ({ exitCode, stdout }) =>
      exitCode === 0 ? { heldBy: stdout.trimEnd() } : exitCode === 4 ? FREE : undefined,
  },
  {
    ...READ,
    verb: 'list',
    words: (key) => ['list', key],
    claim: ({ exitCode, stdout }, key) => {
      const row = stdout.split('\n').find((line) => line.split('\t')[1] === key);
      if (row !== undefined) return { heldBy: row.split('\t')[2] ?? '' };
      return exitCode === 0 ? FREE : undefined;
    },
  },
  {
    ...READ,
    verb: 'inspect',
    words: (key) => ['inspect', key],
    claim: ({ exitCode, stdout }) => {
      const holder = /held by (\S+)/.exec(stdout)?.[1];
      if (exitCode !== 0) return undefined;
      return holder === undefined ? FREE : { heldBy: holder };
    },
  },
  {
    ...READ,
    verb: 'wait',
    words: (key) => ['wait', key, '--until', 'free'],
    claim: byCode({ 0: FREE, 6: { heldBy: HOLDER } }),
    mostMs: WAIT_MS,
  },
  {
    ...WRITE,
    verb: 'acquire',
    isHeld: false,
    words: (key) => ['acquire', key, '--owner', HOLDER, ...LONG],
    claim: byCode({ 0: { heldBy: HOLDER } }),
  },
  {
    ...WRITE,
    verb: 'acquire (held)',
    words: (key) => ['acquire', key, '--owner', NEWCOMER, ...LONG],
    claim: byCode({ 0: { heldBy: NEWCOMER }, 3: { heldBy: HOLDER } }),
  },
  {
    ...WRITE,
    verb: 'renew',
    words: (key) => ['renew', key, '--owner', HOLDER, ...LONG],
    claim: byCode({ 0: { heldBy: HOLDER }, 4: FREE }),
  },
  {
    ...WRITE,
    verb: 'transfer',
    words: (key) => ['transfer', key, '--from', HOLDER, '--to', NEWCOMER, ...LONG],
    claim: byCode({ 0: { heldBy: NEWCOMER }, 4: FREE }),
  },
  {
    ...WRITE,
    verb: 'release',
    words: (key) => ['release', key, '--owner', HOLDER],
    claim: byCode({ 0: FREE, 4: FREE }),
  },
  {
    ...WRITE,
    verb: 'exec',
    isHeld: false,
    words: (key) => ['exec', key, '--owner', HOLDER, '--', 'echo', RAN],
    // The command ran, so the lease was held; it was given back afterwards.
    claim: ({ stdout }) => (stdout.includes(RAN) ? FREE : undefined),
    calls: 3,
  },
];

function byCode(claims: Readonly<Record<number, Claim>>): CliVerb['claim'] {
  return ({ exitCode }) => (exitCode === null ? undefined : claims[exitCode]);
}

/** How long it takes to start the program and do nothing. */
export async function measureStartMs(): Promise<number> {
  return (await lease(['--version'])).durationMs;
}

/** Runs a verb to its end. */
export async function runCliVerb(verb: CliVerb, key: string, way: Way, timeoutMs: number): Promise<Outcome> {
  const givenMs = Math.min(timeoutMs, verb.mostMs ?? timeoutMs);
  const words = verb.words(key);
  const own = words.includes('--') ? words.indexOf('--') : words.length;
  const options = ['--timeout', `${givenMs}ms`, ...(way.args ?? [])];
  const result = await lease([...words.slice(0, own), ...options, ...words.slice(own)], {
    backend: way.backend,
    timeoutMs: 60_000,
    ...(way.shell !== undefined && { command: ['/bin/sh', '-c', way.shell, 'sh', process.execPath, BIN] }),
  });
  const claim = verb.claim(result, key);
  return {
    answer: String(result.exitCode ?? result.signal),
    claim,
    hasFailed: claim === undefined,
    said: result.stderr,
    output: result.stdout + result.stderr,
    ms: result.durationMs,
    allowedMs: givenMs * (verb.calls ?? 1),
  };
}
