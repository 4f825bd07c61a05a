import type { BackendSource } from '../lease/backend.js';
import type { Clock } from '../lease/clock.js';
import type { KeyOutcome } from '../operations/outcome.js';
import type { WatchEvent } from '../operations/watch-event.js';
import type { Theme } from '../output/theme.js';

/** What the screen of `watch` needs from outside. */
export interface TuiOptions {
  /** What happens, as it becomes known. Not read where there is a `replay`. */
  readonly events: AsyncIterable<WatchEvent>;
  /** A recording to look at instead. Nothing can be written then. */
  readonly replay?: Recording | undefined;
  /** Where the leases are, as far as it is known by now. */
  readonly source: () => BackendSource;
  /** Whether leases may be changed. A read-only context wins over it. */
  readonly isWritable: boolean;
  readonly isReadOnlyContext: boolean;
  readonly actions: TuiActions;
  /** The time that a transfer gives the new owner, in milliseconds; shown before it is confirmed. */
  readonly transferTtlMs: number;
  readonly io: TuiIo;
  /** The colours, or none of them: decided by the one gate for colour. */
  readonly theme: Theme;
  readonly clock: Clock;
  /** Writes a file for the user; what it throws is shown. */
  readonly exportView: (path: string, text: string) => Promise<void>;
  /** Ends the screen: the terminal is restored at once, before anything else that listens to it goes on. */
  readonly signal: AbortSignal;
}

/** What a recording holds. */
export interface Recording {
  readonly events: readonly WatchEvent[];
  /** Recorded seconds that pass in one. */
  readonly speed: number;
  /** Why it ends before its end, such as a line that is no event. */
  readonly problem?: string | undefined;
}

/** A lease as it was shown to the user: what a write names. */
export interface ShownLease {
  readonly key: string;
  readonly owner: string;
}

/** The writes. Each is compare-and-set on the owner that was shown, and rejects as the operations do. */
export interface TuiActions {
  readonly transfer: (lease: ShownLease, to: string) => Promise<KeyOutcome>;
  readonly release: (lease: ShownLease) => Promise<KeyOutcome>;
}

/** The terminal. */
export interface TuiIo {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Writes to stdout even where an application's module has been kept from doing so; default `stdout.write`. */
  readonly write?: ((text: string) => boolean) | undefined;
  /** Where signals arrive; what they mean is the caller's to say, by `signal`. */
  readonly signals: SignalHub;
}

/** The part of the process that signals arrive at. */
export interface SignalHub {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
}
