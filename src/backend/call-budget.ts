/** Milliseconds that the next call of a kind may take. */
export type CallBudget = (kind: 'read' | 'write') => number;
