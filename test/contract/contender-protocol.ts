import type { ProviderSpec } from '../conformance/provider-spec.js';

/** How a process of its own opens the provider under test. */
export type ChildSpec = Extract<ProviderSpec, { kind: 'sqlite' | 'redis' }>;

/** The command line's one argument, as JSON. */
export interface ContenderPlan {
  readonly spec: ChildSpec;
  /** How many contenders, each with a provider of its own. */
  readonly contenders: number;
}

export type ContenderOrder =
  /** Every contender acquires once, all at the same time. */
  | { readonly order: 'claim'; readonly key: string; readonly ttlMs: number }
  /** Every contender acquires over and over, until `stop`. */
  | { readonly order: 'race'; readonly key: string; readonly ttlMs: number }
  /** Asks how often the contenders of a race have acquired so far. */
  | { readonly order: 'count' }
  | { readonly order: 'stop' };

export interface Claim {
  readonly owner: string;
  readonly acquired: boolean;
  readonly named: string | undefined;
}

export type ContenderMessage =
  | { readonly message: 'ready' }
  | { readonly message: 'claims'; readonly claims: readonly Claim[] }
  /** Every contender has been refused or has won once. */
  | { readonly message: 'racing' }
  | { readonly message: 'count'; readonly attempts: number }
  | { readonly message: 'raced'; readonly attempts: number; readonly wins: number };
