import type { BackendSource } from '../lease/backend.js';
import type { LeaseError } from '../lease/errors.js';
import type { SeenLease } from '../lease/inspector.js';
import type { Work } from './quiet-guard.js';

/** The verbs that answer about one key. */
export type KeyVerb = 'owner' | 'acquire' | 'release' | 'renew' | 'transfer';

/**
 * What one verb found or did for one key.
 *
 * - `held`, `free`: what `owner` read.
 * - `acquired`, `refreshed`, `released`, `renewed`, `transferred`: done. `acquired` by `transfer`: its fallback.
 * - `held-by-other`: nothing was changed, another owner has it.
 * - `active`: nothing was changed, the thread's run is at work.
 * - `no-lease`: nothing was changed, nobody has it.
 * - `skipped`: left out of a bulk on purpose.
 */
export type OutcomeStatus =
  | 'held'
  | 'free'
  | 'acquired'
  | 'refreshed'
  | 'released'
  | 'renewed'
  | 'transferred'
  | 'held-by-other'
  | 'active'
  | 'no-lease'
  | 'skipped';

/** What was seen of a key some time after a write took it from an owner. */
export type LaterLook = {
  /** Milliseconds between the write's answer and the look. */
  readonly afterMs: number;
} & (
  | {
      readonly lease?: SeenLease;
      /** The owner that it was taken from has it again: it lives, and goes on renewing. */
      readonly isBack: boolean;
    }
  | { readonly error: LeaseError }
);

/** The answer of a verb for one key: data for text and JSON alike. */
export interface KeyOutcome {
  readonly verb: KeyVerb;
  readonly status: OutcomeStatus;
  /** The key that was looked at or written; absent when a thread was asked for by its id and no held lease has it. */
  readonly key?: string;
  /** The thread id that was asked for where `key` is absent. */
  readonly thread?: string;
  /** The lease as it is now; absent when nobody holds it. */
  readonly lease?: SeenLease;
  /** The owner before, where it was known and is another than now. */
  readonly previousOwner?: string;
  /** The last sign of the run that is at work; with the status `active` alone. */
  readonly work?: Work;
  /** What was seen some time after the write. */
  readonly later?: LaterLook;
  /** Nothing was sent; the status says what would have been done as things stood. */
  readonly dryRun?: true;
  /** The write's own answer was lost; the status is what was seen on reading back. */
  readonly readBack?: true;
  /** The moment of the answer on this host's clock, milliseconds since the epoch. */
  readonly atMs: number;
  readonly notes: readonly Note[];
  readonly source: BackendSource;
}

/** Something an answer has to say beside its status. Each is worded once, where it is printed. */
export type Note =
  /** `thread:abc` is held under the thread's own key, the one in the outcome. */
  | { readonly kind: 'found-as-thread'; readonly asked: string }
  /** The thread's resource was looked up among the held leases. */
  | { readonly kind: 'found-resource' }
  /** Nothing at all is leased under this prefix. */
  | { readonly kind: 'nothing-leased' }
  /** The key looks like a thread's but is not the one that Mastra's runtime uses. */
  | { readonly kind: 'not-a-runtime-key' }
  /** The lease ends by itself unless renewed, and nothing renews it. */
  | { readonly kind: 'not-renewed' }
  /** Nothing but the provider itself says that the key is free: whether it looks where the application does is not known. */
  | { readonly kind: 'not-verified' }
  /** Nobody named a backend, so the leases that were meant may live elsewhere. */
  | { readonly kind: 'implied-backend' }
  /** Nothing was there to see by whether the thread's run is at work. */
  | { readonly kind: 'run-not-seen' }
  /** What a write on a thread's lease can cause. */
  | { readonly kind: 'thread-caution'; readonly verb: KeyVerb }
  /** The key was ambiguous: one of its ids holds a NUL. */
  | { readonly kind: 'ambiguous-ids' }
  /** A step fence is kept on purpose until it expires. */
  | { readonly kind: 'step-fence' };
