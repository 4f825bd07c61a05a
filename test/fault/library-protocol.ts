import type { RedisTlsOptions } from '../../src/providers/redis/index.js';

/** A verb of a provider, in one situation. */
export type LibraryVerb =
  | 'getLeaseOwner'
  | 'readLease'
  | 'listLeases'
  | 'acquireLease'
  | 'acquireLease (held)'
  | 'renewLease'
  | 'transferLease'
  | 'releaseLease';

/** One call, of a provider of its own. */
export interface LibraryCall {
  readonly verb: LibraryVerb;
  readonly key: string;
  /** A Redis URL, or `sqlite:PATH`. */
  readonly backend: string;
  readonly tls?: RedisTlsOptions | undefined;
}

export interface LibraryPlan {
  readonly calls: readonly LibraryCall[];
  readonly timeoutMs: number;
}

/** What a call came to. */
export type LibraryAnswer =
  | {
      readonly kind: 'answer';
      readonly value: string;
      readonly holder?: string | undefined;
      readonly ms: number;
    }
  | {
      readonly kind: 'error';
      readonly code: string;
      readonly message: string;
      /** All that a log would show of it. */
      readonly inspected: string;
      readonly ms: number;
    };

/** What the process tells: that every provider was used once, the answers, what keeps it alive at its end. */
export type LibraryMessage =
  | { readonly message: 'connected' }
  | { readonly message: 'answers'; readonly answers: readonly LibraryAnswer[] }
  | { readonly message: 'closed'; readonly leftOpen: readonly string[] };
