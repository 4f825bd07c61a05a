import { type Clause, passed, skipped } from '../clause.js';
import { mustAcquire, mustAnswer, mustBeHeldBy, mustBeRefused } from '../expectations.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS } from '../timing.js';

export const twoInstances: Clause = {
  id: 'two-instances',
  level: 'contract',
  sentence: 'Two instances on one backend see the same leases: an owner is a text, not a connection.',
  source: SOURCES.provider,
  needs: 'shared leases',
  async run(trial) {
    const { one, two, setting } = trial;
    if (one.endpoint === two.endpoint) {
      return skipped('the factory has only one instance, and no other process was started');
    }
    const hint =
      setting.traits.scope === undefined
        ? '; leases that live in one process are declared by scope: process'
        : '';
    const key = trial.key();
    await mustAcquire(one, key, 'a', LONG_TTL_MS);
    await mustBeHeldBy(two, key, 'a', `the other instance to see the lease${hint}`);
    await mustBeRefused(two, key, 'b', LONG_TTL_MS);
    await mustAnswer(two.renew(key, 'a', LONG_TTL_MS), true, 'a to be the owner at the other instance too');
    await mustAnswer(
      two.transfer(key, 'a', 'b', LONG_TTL_MS),
      true,
      'a to be the owner at the other instance too',
    );
    await mustBeHeldBy(one, key, 'b', 'the first instance to see what the other one changed');
    await mustAnswer(one.renew(key, 'a', LONG_TTL_MS), false, 'false for a, which handed the key to b');
    await one.release(key, 'b');
    await mustBeHeldBy(two, key, undefined, 'the other instance to see the release');
    await mustAcquire(two, key, 'c', LONG_TTL_MS);
    await mustBeHeldBy(one, key, 'c', 'the first instance to see the next lease');
    await mustAnswer(two.transfer(key, 'c', 'd', LONG_TTL_MS), true, 'c to hand the key on');
    await mustBeHeldBy(
      one,
      key,
      'd',
      'the first instance to see that what it has just read has changed hands',
    );
    await two.release(key, 'd');
    await mustBeHeldBy(
      one,
      key,
      undefined,
      'the first instance to see that what it has just read was released',
    );
    return passed(`${one.name} and ${two.name}`);
  },
};
