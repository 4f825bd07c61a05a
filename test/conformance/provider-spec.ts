/** How a process opens the provider under test: the command line's one argument, as JSON. */
export type ProviderSpec =
  | { readonly kind: 'sqlite'; readonly path: string }
  /** A mutant. */
  | { readonly kind: 'sqlite, locked in one process'; readonly path: string }
  | { readonly kind: 'redis'; readonly url: string; readonly keyPrefix: string }
  /** The fixture that stands for Mastra's own provider on Redis. */
  | { readonly kind: 'redis-streams'; readonly url: string };
