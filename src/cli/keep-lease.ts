import { LeaseLostError } from '../lease/hold.js';
import { holdCallMs, renewCallMs } from '../lease/hold-timing.js';
import { keep } from '../operations/keep.js';
import type { KeyRequest } from '../operations/resolve-key.js';
import { formatDuration } from '../output/durations.js';
import { describeKey } from '../output/key-words.js';
import { printable } from '../output/printable.js';
import { listenToSignals } from './child-process.js';
import { type Run, runInSession } from './command.js';
import { tellTurn } from './holding-options.js';
import type { AuditOptions, CommonOptions } from './options.js';
import type { Session } from './session.js';
import { SignalRelay } from './signal-relay.js';
import { InterruptedError } from './usage-error.js';

/** What `acquire --keep` was asked for. */
export interface KeepPlan {
  readonly target: KeyRequest;
  readonly owner: string;
  readonly ttlMs: number;
  readonly waitMs: number;
  /** Milliseconds after which it gives the lease back by itself. */
  readonly maxDurationMs: number;
}

const LOST = 5;
/** A provider gives up before the holder does: its error says more. */
const CALL_SHARE = 0.9;
/** The longest delay that a timer of Node takes, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Holds a lease until a signal, the end of its time, or the end of whoever reads the answer; then gives it back. */
export async function keepLease(
  run: Run,
  options: CommonOptions & AuditOptions,
  readPlan: () => KeepPlan,
): Promise<number> {
  const relay = new SignalRelay();
  listenToSignals(relay.take);
  let call = { ms: Number.POSITIVE_INFINITY };
  const kept = { callMs: () => call.ms * CALL_SHARE };
  return await runInSession<number>(
    { io: run.io, signal: relay.opening },
    'acquire',
    options,
    { access: 'write', bounds: 'call', kept },
    async (session) => {
      const plan = readPlan();
      call = { ms: holdCallMs(plan.ttlMs) };
      return hold(session, plan, relay, () => {
        call = { ms: renewCallMs(plan.ttlMs, 0) };
      });
    },
  );
}

async function hold(
  session: Session,
  { target, owner, ttlMs, waitMs, maxDurationMs }: KeepPlan,
  relay: SignalRelay,
  onHeld: () => void,
): Promise<number> {
  const { context, printer, io } = session;
  relay.acquire();
  const held = await keep(context, {
    target,
    owner,
    ttlMs,
    graceMs: 0,
    waitMs,
    onWaiting: tellTurn(session, waitMs),
    signal: relay.acquiring,
  });
  printer.pause();
  if (!held.isTaken) {
    const exitCode = waitMs > 0 ? 6 : 3;
    await printer.outcome(held.outcome, exitCode, false);
    await printer.source(held.outcome.source);
    return exitCode;
  }
  onHeld();
  const { lease, outcome } = held;
  const { promise: ended, resolve: end } = Promise.withResolvers<
    LeaseLostError | InterruptedError | 'over'
  >();
  const onLost = () => end(lossOf(lease.signal.reason));
  const onSignal = () => end(lossOf(relay.acquiring.reason));
  const onOver = () => end('over');
  lease.signal.addEventListener('abort', onLost);
  relay.acquiring.addEventListener('abort', onSignal);
  io.stdout.once('error', onOver);
  const timer = maxDurationMs > MAX_TIMER_MS ? undefined : setTimeout(onOver, maxDurationMs);
  if (lease.signal.aborted) onLost();
  if (relay.acquiring.aborted) onSignal();
  try {
    await printer.outcome(outcome, 0, false);
    await printer.talk(
      `renewed until SIGINT, SIGTERM or SIGHUP, for ${formatDuration(maxDurationMs)} at most (--max-duration)`,
    );
    await printer.source(outcome.source);
    const why = await ended;
    if (why instanceof LeaseLostError) {
      const source = context.backend.source();
      await printer.error(why, LOST, { verb: 'acquire', source, key: lease.key });
      await lease.release().catch(() => {});
      return LOST;
    }
    printer.busy(`giving ${describeKey(lease.key)} back`);
    const gaveBack = lease.release().then(() => printer.talk(`gave ${describeKey(lease.key)} back`));
    await gaveBack.catch(async (error: unknown) => {
      const reason = error instanceof Error ? printable(error.message) : '';
      const endsIn = formatDuration(ttlMs);
      await printer.warn(
        `${describeKey(lease.key)} could not be given back, and ends by itself in ${endsIn} at most: ${reason}`,
      );
    });
    return why === 'over' ? 0 : why.exitCode;
  } finally {
    clearTimeout(timer);
    io.stdout.off('error', onOver);
  }
}

function lossOf(reason: unknown): LeaseLostError | InterruptedError {
  if (reason instanceof LeaseLostError || reason instanceof InterruptedError) return reason;
  return new LeaseLostError('refused');
}
