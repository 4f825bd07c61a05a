import { constants } from 'node:os';
import type { CommandEnd, RunningCommand } from '../operations/exec.js';
import type { ForwardedSignal } from './child-process.js';
import { InterruptedError } from './usage-error.js';

/** What a command that was never started ends with, by the signal that stopped it. */
const EXIT_CODE: Record<ForwardedSignal, 129 | 130 | 143> = {
  SIGHUP: 129,
  SIGINT: 130,
  SIGQUIT: 130,
  SIGTERM: 143,
  SIGUSR1: 143,
  SIGUSR2: 143,
};

/**
 * Where signals go while a command is run under a lease: until it starts they end the attempt, afterwards they are the
 * command's. None is lost in between.
 */
export class SignalRelay {
  readonly #opening = new AbortController();
  readonly #acquiring = new AbortController();
  readonly #early: ForwardedSignal[] = [];
  #phase: 'opening' | 'acquiring' | 'starting' = 'opening';
  #command: RunningCommand | undefined;

  /** Aborted when nothing is held yet, so that everything may be dropped at once; or at a second signal. */
  get opening(): AbortSignal {
    return this.#opening.signal;
  }

  /** Aborted when a lease may have been acquired by now, and has to be given back. */
  get acquiring(): AbortSignal {
    return this.#acquiring.signal;
  }

  /** Whether the lease is held: the command is about to start, or has. */
  get isHolding(): boolean {
    return this.#phase === 'starting';
  }

  /** From now on a lease may be held. */
  acquire(): void {
    this.#opening.signal.throwIfAborted();
    this.#phase = 'acquiring';
  }

  /** From now on there may be a command. */
  start(): void {
    this.#acquiring.signal.throwIfAborted();
    this.#phase = 'starting';
  }

  started(command: RunningCommand): void {
    this.#command = command;
    for (const signal of this.#early) command.send(signal);
  }

  readonly take = (signal: ForwardedSignal): void => {
    if (this.#phase === 'starting') {
      if (this.#command) this.#command.send(signal);
      else this.#early.push(signal);
      return;
    }
    const isFirst = !this.#acquiring.signal.aborted;
    const reason = new InterruptedError(signal, EXIT_CODE[signal]);
    this.#acquiring.abort(reason);
    if (this.#phase === 'opening' || !isFirst) this.#opening.abort(reason);
  };
}

/** A command's exit code as a shell has it: 128 and the number of the signal that ended it. */
export function exitCodeOfEnd(end: CommandEnd): number {
  return 'code' in end ? end.code : 128 + constants.signals[end.signal];
}
