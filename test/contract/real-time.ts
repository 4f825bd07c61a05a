import { setImmediate, setTimeout } from 'node:timers/promises';
import type { ContractBackend } from './contract-suite.js';

/** The time of a backend that keeps its own: it passes by waiting. */
export const realTime: Pick<ContractBackend, 'passTime' | 'nowMs'> = {
  nowMs: () => performance.now(),
  async passTime(ms) {
    const until = performance.now() + ms;
    // A timer may fire a fraction early.
    for (let left = ms; left > 0; left = until - performance.now()) await setTimeout(Math.ceil(left));
    await setImmediate();
  },
};
