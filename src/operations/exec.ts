import { type HeldLease, type HoldClock, LeaseLostError, systemHoldClock } from '../lease/hold.js';

/** How a command ended. */
export type CommandEnd = { readonly code: number } | { readonly signal: NodeJS.Signals };

/** A command that runs; started, signalled and watched by the edge. */
export interface RunningCommand {
  /** Its own end. */
  readonly ended: Promise<CommandEnd>;
  /** Settles when nothing runs any more that belongs to it. */
  gone(): Promise<void>;
  /** Reaches all that belongs to it; one that is gone is no failure. */
  send(signal: NodeJS.Signals): void;
}

/** What running a command under a lease depends on. */
export interface ExecRequest {
  readonly lease: HeldLease;
  /** Milliseconds between TERM and KILL once the lease is lost. */
  readonly graceMs: number;
  /** Starts it. What it throws is thrown, with the lease given back. */
  readonly start: () => Promise<RunningCommand>;
  /** Called at once when the lease is lost, before anything is done about it. */
  readonly onLost: (loss: LeaseLostError) => void;
  /** Called when the command has ended and others that it started have not. */
  readonly onLeftBehind: (end: CommandEnd) => void;
  readonly clock?: HoldClock;
}

/** How it went: the command's own end, or that the lease was lost meanwhile, however the command ended. */
export type ExecResult =
  | { readonly end: CommandEnd; readonly lost?: undefined; readonly releaseFailure?: Error }
  | { readonly lost: LeaseLostError };

/** After how many milliseconds it is told that something was left behind. */
const LEFT_BEHIND_MS = 1_000;

/**
 * Runs a command while a lease is held. When the lease is lost the command is ended: TERM, and KILL after the grace. The
 * lease is given back only when nothing of the command runs any more.
 */
export async function runUnderLease(request: ExecRequest): Promise<ExecResult> {
  const { lease, graceMs, start, onLost, onLeftBehind, clock = systemHoldClock } = request;
  let command: RunningCommand;
  try {
    command = await start();
  } catch (error) {
    await lease.release().catch(() => {});
    throw error;
  }
  const gone = command.gone();
  const noteLeftBehind = tellLeftBehind(command, gone, onLeftBehind, clock);
  const lost = Promise.withResolvers<LeaseLostError>();
  const note = () => {
    const reason: unknown = lease.signal.reason;
    lost.resolve(reason instanceof LeaseLostError ? reason : new LeaseLostError('refused'));
  };
  lease.signal.addEventListener('abort', note);
  if (lease.signal.aborted) note();
  let loss = await Promise.race([lost.promise, gone.then(() => undefined)]);
  lease.signal.removeEventListener('abort', note);
  // Whoever slept past the end may see the command end before any timer fires.
  if (!loss && lease.validForMs() === 0) loss = new LeaseLostError('overslept');
  noteLeftBehind.cancel();
  if (loss) {
    onLost(loss);
    command.send('SIGTERM');
    const cancelKill = clock.alarm(graceMs, () => command.send('SIGKILL'));
    await gone;
    cancelKill();
    await lease.release().catch(() => {});
    return { lost: loss };
  }
  const end = await command.ended;
  try {
    await lease.release();
  } catch (error) {
    return { end, releaseFailure: error instanceof Error ? error : new Error(String(error)) };
  }
  return { end };
}

function tellLeftBehind(
  command: RunningCommand,
  gone: Promise<void>,
  onLeftBehind: (end: CommandEnd) => void,
  clock: HoldClock,
): { cancel(): void } {
  let cancel = () => {};
  let isOver = false;
  const stop = () => {
    isOver = true;
    cancel();
  };
  command.ended.then((end) => {
    if (!isOver) cancel = clock.alarm(LEFT_BEHIND_MS, () => onLeftBehind(end));
  }, stop);
  gone.then(stop, stop);
  return { cancel: stop };
}
