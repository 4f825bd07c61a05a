/** Where the clauses are written: Mastra's own words on its contract, in the types of `@mastra/core/events`. */
export const SOURCES = {
  provider: 'LeaseProvider of @mastra/core/events',
  acquire: 'LeaseProvider.acquireLease of @mastra/core/events',
  read: 'LeaseProvider.getLeaseOwner of @mastra/core/events',
  release: 'LeaseProvider.releaseLease of @mastra/core/events',
  renew: 'LeaseProvider.renewLease of @mastra/core/events',
  transfer: 'LeaseProvider.transferLease of @mastra/core/events',
  /** What follows from one owner at a time and from the runtime's keys, which hold any text. */
  keys: "the keys and owners that Mastra's runtime makes: any text, with NUL",
  traits: 'leaseTraits, an addition of mastra-lease',
  practice: 'no word of the contract: what an operator should know',
} as const;
