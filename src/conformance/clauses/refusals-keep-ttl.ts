import { isRefused } from '../call.js';
import { type Clause, passed, Violation } from '../clause.js';
import { mustAcquire } from '../expectations.js';
import { SOURCES } from '../sources.js';
import { isWithin, LONG_TTL_MS, measure, waitUntilOver } from '../timing.js';

export const refusalsKeepTtl: Clause = {
  id: 'refusals-keep-ttl',
  level: 'contract',
  sentence: 'What is refused to another owner does not lengthen the lease of the holder.',
  source: SOURCES.provider,
  run: (trial) =>
    measure(trial, async (ttlMs) => {
      const { one } = trial;
      const key = trial.key();
      const claim = await mustAcquire(one, key, 'a', ttlMs);
      const calls = [
        await one.acquire(key, 'b', LONG_TTL_MS),
        await one.renew(key, 'b', LONG_TTL_MS),
        await one.transfer(key, 'b', 'c', LONG_TTL_MS),
      ];
      const isAllRefused = calls.every((call) => isRefused(call) || call.answer === false);
      if (!isAllRefused) {
        if (calls.some((call) => !isWithin(call, claim, ttlMs))) return 'void';
        throw new Violation('b to be refused whatever it asks for, while a holds the key');
      }
      await waitUntilOver(trial, claim, ttlMs);
      if ((await one.read(key)).answer !== undefined) {
        throw new Violation(`the lease of a to be over after ${ttlMs} ms, whatever b asked for`);
      }
      return passed();
    }),
};
