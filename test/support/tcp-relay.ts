import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** What all relays of one direction obey, changed at will by the test. */
export interface RelayControl {
  isPaused: boolean;
  /** How long bytes are held back, in milliseconds. */
  delayMs: number;
  /** Whether bytes go out one by one. */
  isSplit: boolean;
}

interface Held {
  readonly bytes: Buffer;
  readonly dueAt: number;
}

/** Carries bytes to a socket in order, held back as its control says. */
export class TcpRelay {
  readonly #to: Socket;
  readonly #control: RelayControl;
  readonly #held: Held[] = [];
  #hasEnded = false;
  #isFlowing = false;

  constructor(to: Socket, control: RelayControl) {
    this.#to = to;
    this.#control = control;
  }

  push(bytes: Buffer): void {
    this.#held.push({ bytes, dueAt: performance.now() + this.#control.delayMs });
    void this.flow();
  }

  /** Ends the socket once everything before has gone out. */
  end(): void {
    this.#hasEnded = true;
    void this.flow();
  }

  /** Sends what may go; to be called again whenever a pause ends. */
  async flow(): Promise<void> {
    if (this.#isFlowing) return;
    this.#isFlowing = true;
    while (!this.#control.isPaused && !this.#to.destroyed) {
      const next = this.#held[0];
      if (!next) break;
      const earlyMs = next.dueAt - performance.now();
      if (earlyMs > 0) await sleep(earlyMs);
      else if (this.#control.isSplit) await this.#sendOneByte(next);
      else {
        this.#held.shift();
        this.#to.write(next.bytes);
      }
    }
    this.#isFlowing = false;
    if (this.#hasEnded && this.#held.length === 0 && !this.#control.isPaused) this.#to.end();
  }

  async #sendOneByte({ bytes, dueAt }: Held): Promise<void> {
    this.#to.write(bytes.subarray(0, 1));
    if (bytes.length > 1) this.#held[0] = { bytes: bytes.subarray(1), dueAt };
    else this.#held.shift();
    await nextTurn();
  }
}
