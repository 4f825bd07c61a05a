/** What a process of its own does with a lease database; one of these is its one argument, as JSON. */
export type SqliteTask =
  /** As somebody who is not root: takes rights away, then tries, and prints what came of each try. */
  | { readonly task: 'try-unprivileged'; readonly directory: string }
  /** Acquires long owners until something gives, and prints what did. */
  | { readonly task: 'fill'; readonly path: string }
  /** Keeps the file locked from its `lock` message on, for so long. */
  | { readonly task: 'lock'; readonly path: string; readonly holdMs: number }
  | ContendTask;

/** Claims and gives back over and over from a `go` message on, and writes each holding to a log that all append to. */
export interface ContendTask {
  readonly task: 'contend';
  readonly path: string;
  readonly log: string;
  readonly keys: readonly string[];
  readonly ttlMs: number;
  readonly forMs: number;
  /** Kills itself with SIGKILL while it holds for this time. */
  readonly dieAtHolding?: number;
}

/** One line of the log. Instants are of the wall clock, in milliseconds. */
export type Holding =
  | {
      readonly at: 'enter';
      readonly key: string;
      readonly pid: number;
      readonly sentAt: number;
      readonly gotAt: number;
    }
  | { readonly at: 'leave'; readonly key: string; readonly pid: number };

/** What came of a try: an answer, or the code and message of an error. */
export type Attempt =
  | { readonly answer: unknown }
  | { readonly code: string; readonly message: string; readonly remedy: string | undefined };
