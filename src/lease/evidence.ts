/** One event of a thread's stream, without its content: no text of a message is ever kept. */
export interface ThreadEvent {
  /** The id of its stream entry. */
  readonly id: string;
  /** When the server added it, milliseconds since the epoch on the server's clock: from the entry's id. */
  readonly atMs: number;
  /** Such as `run-registered`, `stream-part`, `run-suspended`; whatever the stream says. */
  readonly type: string;
  readonly runId?: string;
  /** The random id of the server process that published it (`sourceId`). */
  readonly process?: string;
}

/** A run as far as its events tell. What others ask of it (messages, an abort) is no sign of its life. */
export interface ThreadRun {
  readonly runId: string;
  /** The process that published its events last; the one that took it over, where it was resumed elsewhere. */
  readonly process?: string;
  /** Its first event among those read, registered or not. */
  readonly firstEventAtMs: number;
  /** When it was registered last: a resumed run is again. Absent when that is older than what was read. */
  readonly registeredAtMs?: number;
  readonly lastEventAtMs: number;
  readonly lastEventType: string;
  /** `suspended`: parked for an approval, its last word. `ended`: completed, failed, aborted or discarded. */
  readonly state: 'unfinished' | 'suspended' | 'ended';
  /** Somebody asked it to end, and no event of it came since. */
  readonly abortRequestedAtMs?: number;
  /** Processes that went on publishing under its id after another had taken it over, and when each did so last. */
  readonly rivals?: readonly { readonly process: string; readonly lastEventAtMs: number }[];
}

/** What a thread's event stream says. */
export interface ThreadActivity {
  /** The stream's name on the server. */
  readonly stream: string;
  /** The clock that stamped the events, at the moment of reading; the host's own where the server does not tell. */
  readonly nowMs: number;
  readonly clock: 'server' | 'host';
  /** Entries kept in the stream. */
  readonly length: number;
  /** The newest events, oldest of them first. */
  readonly events: readonly ThreadEvent[];
  /** Whether everything that the stream keeps was read; what was trimmed off it before is not told by that. */
  readonly isWhole: boolean;
  /** When the oldest entry that was read was added, event or not; absent for a stream without entries. */
  readonly readSinceMs?: number;
  /** The runs among the events, in the order in which they were first seen. */
  readonly runs: readonly ThreadRun[];
  /**
   * Messages that no run has taken up, as far as the events tell, and when the oldest of them was enqueued (milliseconds
   * since the epoch, on the clock of `nowMs`).
   */
  readonly waiting?: { readonly count: number; readonly sinceMs: number };
  /** Consumer groups, and what they have not acknowledged; absent where the server does not tell. */
  readonly groups?: number;
  readonly pending?: number;
  /** Bytes that the stream takes on the server; absent where it does not tell. */
  readonly bytes?: number;
  /** Entries among those read that are no event: not JSON, too deep, or of another shape. */
  readonly unreadable: number;
  /** When the newest of those was added. */
  readonly lastUnreadableAtMs?: number;
}

/** Options of {@link ThreadEvidence.readThread}. */
export interface ReadThreadOptions {
  /** Ends the reading; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** At most so many entries are read, newest first. Default 1000. */
  readonly maxEvents?: number | undefined;
}

/** A provider's companion that can see what a thread's runs do. Writes nothing: no groups, no acknowledgements. */
export interface ThreadEvidence {
  /**
   * The tail of a thread's events, or `undefined` when the thread has no stream.
   *
   * @throws `ERR_LEASE_NOT_PERMITTED` where the user may not read it, `ERR_LEASE_WRONG_TYPE` where its name holds
   * something else, `ERR_LEASE_UNREACHABLE` or `ERR_LEASE_UNVERIFIED` where "no stream" would be no proof.
   */
  readThread(threadKey: string, options?: ReadThreadOptions): Promise<ThreadActivity | undefined>;
}
