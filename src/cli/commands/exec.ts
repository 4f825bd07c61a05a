import { type HeldLease, LeaseLostError } from '../../lease/hold.js';
import { holdCallMs, renewCallMs } from '../../lease/hold-timing.js';
import { parseKey } from '../../lease/key.js';
import { escapeText } from '../../lease/text.js';
import { runUnderLease } from '../../operations/exec.js';
import { keep } from '../../operations/keep.js';
import type { KeyOutcome } from '../../operations/outcome.js';
import type { KeyRequest } from '../../operations/resolve-key.js';
import { formatDuration } from '../../output/durations.js';
import { describeKey } from '../../output/key-words.js';
import { noteText } from '../../output/note-text.js';
import { printable } from '../../output/printable.js';
import { sourceText } from '../../output/source-text.js';
import {
  assertStartable,
  CommandNotStartedError,
  listenToSignals,
  startCommand,
  watchParent,
} from '../child-process.js';
import { type Run, runGuarded, runInSession, sealCommand } from '../command.js';
import { knownKey, parseGrace, parseWait, readClaimant, tellTurn, whoseText } from '../holding-options.js';
import type { CliIo } from '../io.js';
import { readKeyRequest } from '../key-requests.js';
import {
  type AuditOptions,
  type CommonOptions,
  type KeyOptions,
  parseTtl,
  withAuditOptions,
  withCommonOptions,
  withKeyOptions,
} from '../options.js';
import { prefixedLines } from '../prefixed-lines.js';
import type { Printer } from '../printer.js';
import type { Session } from '../session.js';
import { exitCodeOfEnd, SignalRelay } from '../signal-relay.js';
import { UsageError } from '../usage-error.js';

type ExecOptions = CommonOptions &
  KeyOptions &
  AuditOptions & {
    readonly owner?: string;
    readonly ttl?: string;
    readonly wait?: string;
    readonly grace?: string;
    readonly yes?: boolean;
    readonly leaseExitCode?: string;
  };

interface ExecInput {
  /** The key, and what follows `--`: commander does not tell them apart. */
  readonly words: readonly string[];
  readonly options: ExecOptions;
}

type CommandWords = readonly [string, ...string[]];

/** What was asked for, read before anything is opened. */
interface ExecPlan {
  readonly target: KeyRequest;
  readonly owner: string;
  readonly ttlMs: number;
  readonly graceMs: number;
  readonly waitMs: number;
  readonly command: CommandWords;
  /** The milliseconds that a call may take, before the lease is held and after. */
  readonly callMs: (isHolding: boolean) => number;
}

const DEFAULT_GRACE_MS = 5_000;
/** Our lines stand among the command's own. */
const PREFIX = 'mastra-lease: ';
const LOST = 5;
/** A provider gives up before the holder does: its error says more. */
const CALL_SHARE = 0.9;

/** `exec <key> -- command`: run a command while holding the lease. */
export const exec = sealCommand<ExecInput>({
  declare(command, run) {
    command
      .usage('[options] <key> -- <command> [args...]')
      .argument('[key]', 'the key as it is written (\\0 is NUL)')
      .argument('[command...]', 'after --, untouched: the command and its arguments; no shell')
      .optionsGroup('Lease:')
      .option('--owner <owner>', 'who holds it (env: MASTRA_LEASE_OWNER; default a fresh unique one)')
      .option(
        '--ttl <duration>',
        'how long it lasts unrenewed (env: MASTRA_AGENT_THREAD_LEASE_TTL_MS; default 15s)',
      )
      .option('--wait <duration>', 'wait for it so long; default: try once')
      .option('--grace <duration>', 'when it is lost: from TERM to KILL (default 5s)')
      .option('--lease-exit-code <code>', 'for every failure that is not the command’s, 1 to 255')
      .option('-y, --yes', "hold a thread's lease: its messages are swallowed meanwhile");
    withKeyOptions(command);
    withAuditOptions(command);
    withCommonOptions(command, 'for each call (default 5s; a third of the TTL at most)');
    command.action((key: string | undefined, rest: readonly string[], options: ExecOptions) =>
      run({ words: key === undefined ? rest : [key, ...rest], options }),
    );
  },
  run: runExec,
});

async function runExec(run: Run, { words, options }: ExecInput): Promise<number> {
  const io: CliIo = { ...run.io, stderr: prefixedLines(run.io.stderr, PREFIX) };
  // Stdout is the command's: nothing of ours ever goes there.
  const { json: _json, ...shown } = options;
  // As it is now: loading an application may add to it.
  const env = { ...io.env };
  const relay = new SignalRelay();
  listenToSignals(relay.take);
  const parent = env.npm_command === 'exec' ? await watchParent(() => relay.take('SIGTERM')) : undefined;
  try {
    const read: { plan?: ExecPlan; leaseExitCode?: number | undefined } = {};
    const opening = { io, signal: relay.opening };
    let exitCode: number = await runGuarded<number>(
      opening,
      'exec',
      { ...shown, verbose: false },
      (printer) =>
        tellingOwnFailures(printer, async () => {
          read.leaseExitCode = parseLeaseExitCode(options.leaseExitCode);
          const plan = readPlan(io, words, options);
          await assertStartable(plan.command[0], { env, cwd: io.cwd() });
          read.plan = plan;
          return 0;
        }),
    );
    let isCommands = false;
    const { plan } = read;
    if (plan) {
      const kept = { callMs: () => plan.callMs(relay.isHolding) * CALL_SHARE };
      exitCode = await runInSession<number>(
        opening,
        'exec',
        shown,
        { access: 'write', bounds: 'call', kept },
        (session) =>
          tellingOwnFailures(session.printer, async () => {
            const ended = await holdAndRun(session, plan, env, relay);
            isCommands = ended.isCommands;
            return ended.exitCode;
          }),
      );
    }
    const isOurs = !isCommands && !relay.acquiring.aborted;
    return isOurs ? (read.leaseExitCode ?? exitCode) : exitCode;
  } finally {
    parent?.stop();
  }
}

/** What `exec` alone can end with: a command that cannot be started, a lease that was over before it did. */
async function tellingOwnFailures(printer: Printer, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CommandNotStartedError) {
      await printer.failure(error, 'exec');
      return error.exitCode;
    }
    if (error instanceof LeaseLostError) {
      await printer.failure(error, 'exec');
      return LOST;
    }
    throw error;
  }
}

async function holdAndRun(
  session: Session,
  { target, owner, ttlMs, graceMs, waitMs, command }: ExecPlan,
  env: CliIo['env'],
  relay: SignalRelay,
): Promise<{ readonly exitCode: number; readonly isCommands: boolean }> {
  const { io, printer, context } = session;
  relay.acquire();
  const held = await keep(context, {
    target,
    owner,
    ttlMs,
    graceMs,
    waitMs,
    onWaiting: tellTurn(session, waitMs),
    signal: relay.acquiring,
  });
  // From here on the terminal is the command's.
  printer.pause();
  if (!held.isTaken) {
    await tellRefusal(io, held.outcome, waitMs);
    return { exitCode: waitMs > 0 ? 6 : 3, isCommands: false };
  }
  const { lease, outcome } = held;
  const what = describeKey(lease.key);
  await tellHeld(printer, outcome);
  const started = await runUnderLease({
    lease,
    graceMs,
    start: async () => {
      relay.start();
      const running = await startCommand(command, {
        env: { ...env, ...leaseVariables(lease, ttlMs) },
        cwd: io.cwd(),
        ownGroup: !io.isTerminal.stdin,
      });
      relay.started(running);
      running.gone().then(
        () => printer.busy(`giving ${what} back`),
        () => {},
      );
      return running;
    },
    onLost: (loss) => {
      const why = loss.cause instanceof Error ? ` (${printable(loss.cause.message)})` : '';
      io.stderr.write(
        `lost ${what}: ${loss.message}${why}; ending the command: TERM now, KILL in ${formatDuration(graceMs)}\n`,
      );
    },
    onLeftBehind: (end) => {
      io.stderr.write(
        `the command ended with ${exitCodeOfEnd(end)}, and something that it started runs on: ${what} stays held until that ends\n`,
      );
    },
  });
  if (started.lost) return { exitCode: LOST, isCommands: false };
  if (started.releaseFailure) {
    await printer.warn(
      `${what} could not be given back, and ends by itself in ${formatDuration(ttlMs)} at most: ${printable(started.releaseFailure.message)}`,
    );
  }
  return { exitCode: exitCodeOfEnd(started.end), isCommands: true };
}

/** By these the command finds its lease; key and owner as `mastra-lease` takes them. */
function leaseVariables({ key, owner }: HeldLease, ttlMs: number): Readonly<Record<string, string>> {
  return {
    MASTRA_LEASE_KEY: escapeText(key),
    MASTRA_LEASE_OWNER: escapeText(owner),
    MASTRA_LEASE_TTL_MS: String(ttlMs),
  };
}

async function tellHeld(printer: Printer, outcome: KeyOutcome): Promise<void> {
  const { key, lease, status, source, notes } = outcome;
  const owner = escapeText(lease?.owner ?? '');
  await printer.talk(`holding ${describeKey(key ?? '')} as ${owner} · ${sourceText(source)}`);
  for (const note of notes) await printer.talk(noteText(note, outcome));
  if (status !== 'refreshed') return;
  await printer.warn(`caution: ${owner} held it already: whoever else goes by that name is not kept out`);
}

/** Who has it, whatever is quiet: nothing was run. */
async function tellRefusal(io: CliIo, outcome: KeyOutcome, waitMs: number): Promise<void> {
  const waited = waitMs > 0 ? ` after ${formatDuration(waitMs)}` : '';
  io.stderr.write(`nothing was run${waited}: ${whoseText(outcome)} · ${sourceText(outcome.source)}\n`);
}

function readPlan(io: CliIo, words: readonly string[], options: ExecOptions): ExecPlan {
  const [first, ...args] = io.argv.includes('--') ? io.argv.slice(io.argv.indexOf('--') + 1) : [];
  const forgotten = Object.entries(options).find(([, value]) => value === '--');
  if (forgotten) throw new UsageError(`Expected a value before --, got none for ${forgotten[0]}`);
  if (first === undefined)
    throw new UsageError('Expected a command after --: mastra-lease exec KEY -- COMMAND ARGS…');
  if (options.json) {
    throw new UsageError("Expected no --json with exec: stdout is the command's, and so is the exit code");
  }
  const keys = words.slice(0, words.length - args.length - 1);
  if (keys.length > 1) throw new UsageError('Expected one key before --, got several');
  const target = readKeyRequest(keys[0], options);
  const key = knownKey(target);
  const isThread = target.by === 'thread' || parseKey(target.key).kind === 'thread';
  if (isThread && !options.yes) {
    throw new UsageError(
      "Expected --yes to hold a thread's lease: meanwhile no run can serve it, and the messages sent to it are swallowed",
    );
  }
  if (options.owner === undefined && key !== undefined && io.env.MASTRA_LEASE_KEY === escapeText(key)) {
    throw new UsageError(
      `Expected another key: this already runs under ${escapeText(key)}, and would give that back at its end`,
    );
  }
  const ttlMs = parseTtl(options.ttl, io.env);
  const graceMs = parseGrace(options.grace, ttlMs, DEFAULT_GRACE_MS);
  return {
    target,
    owner: readClaimant(options.owner, io),
    ttlMs,
    graceMs,
    waitMs: parseWait(options.wait),
    command: [first, ...args],
    callMs: (isHolding) => (isHolding ? renewCallMs(ttlMs, graceMs) : holdCallMs(ttlMs)),
  };
}

function parseLeaseExitCode(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const code = Number(text);
  if (/^\d+$/.test(text) && code >= 1 && code <= 255) return code;
  throw new UsageError(`Expected --lease-exit-code from 1 to 255, got "${printable(text)}"`);
}
