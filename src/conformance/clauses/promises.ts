import { type Clause, passed, Violation } from '../clause.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS } from '../timing.js';

export const promises: Clause = {
  id: 'promises',
  level: 'structural',
  sentence: "Every method answers with a promise: Mastra's runtime chains on it.",
  source: SOURCES.provider,
  async run(trial) {
    const { one } = trial;
    const key = trial.key();
    const calls = [
      await one.acquire(key, 'a', LONG_TTL_MS),
      await one.renew(key, 'a', LONG_TTL_MS),
      await one.transfer(key, 'a', 'b', LONG_TTL_MS),
      await one.read(key),
      await one.release(key, 'b'),
    ];
    const bare = calls.find(({ isPromised }) => !isPromised);
    if (bare) throw new Violation(`a promise from ${bare.method}, with then and catch`, { calls: [bare] });
    return passed();
  },
};
