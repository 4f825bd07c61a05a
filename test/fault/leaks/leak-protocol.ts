/** What a child repeats: every verb of a provider, so many times over; or following changes until it is told to stop. */
export type LeakPlan =
  | {
      readonly kind: 'verbs';
      readonly backend: string;
      readonly connection?: 'kept' | 'one-shot';
      readonly cycles: number;
    }
  | { readonly kind: 'watch'; readonly backend: string };

/** What a process has, after a collection of its garbage. */
export interface Sample {
  readonly heapBytes: number;
  /** What keeps it alive: sockets, timers, files. */
  readonly handles: readonly string[];
  /** Listeners on the process and on the signal that every call was given. */
  readonly listeners: number;
}

/** What a child tells: where it stands, or that it is done. */
export type LeakMessage =
  | { readonly message: 'sample'; readonly sample: Sample; readonly at: string }
  | { readonly message: 'live' }
  | { readonly message: 'done' };
