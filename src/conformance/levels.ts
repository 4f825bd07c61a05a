/** How far a run goes; each level includes those before it. */
export const CONFORMANCE_LEVELS = ['structural', 'contract', 'concurrency', 'linearizable'] as const;

/** One of {@link CONFORMANCE_LEVELS}. */
export type ConformanceLevel = (typeof CONFORMANCE_LEVELS)[number];

/** What may be asked for beyond what the contract asks of everyone. */
export const REQUIREMENTS = ['atomic-transfer', 'atomic-refusal', 'safe-ttl', 'after-close'] as const;

/** One of {@link REQUIREMENTS}; each is also the name of the clause that it turns from a report into a demand. */
export type Requirement = (typeof REQUIREMENTS)[number];
