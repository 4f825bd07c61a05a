import { setImmediate } from 'node:timers/promises';
import { MemoryLeaseProvider } from '../../src/providers/memory.js';
import { describeLeaseContract } from './lease-contract.js';

describeLeaseContract('memory', {
  scope: 'process',
  async start() {
    let nowMs = 0;
    const clock = { monotonicMs: () => nowMs };
    return {
      open: () => new MemoryLeaseProvider({ clock }),
      openInRealTime: () => new MemoryLeaseProvider(),
      nowMs: () => nowMs,
      async passTime(ms) {
        nowMs += Math.max(0, ms);
        await setImmediate();
      },
      async stop() {},
    };
  },
});
