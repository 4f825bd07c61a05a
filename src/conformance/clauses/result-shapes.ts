import { isObject } from '../call.js';
import { type Clause, passed } from '../clause.js';
import { must } from '../expectations.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS } from '../timing.js';

export const resultShapes: Clause = {
  id: 'result-shapes',
  level: 'contract',
  sentence:
    'Results have the shapes of the contract: an object, an owner or undefined, nothing, true or false.',
  source: SOURCES.provider,
  async run(trial) {
    const { one } = trial;
    const key = trial.key();
    const isAnswerToAcquire = (answer: unknown) =>
      isObject(answer) &&
      typeof answer.acquired === 'boolean' &&
      (answer.owner === undefined || typeof answer.owner === 'string');
    const acquireShape = 'acquireLease to answer { acquired: true or false, owner?: a string }';
    const isOwner = (answer: unknown) => answer === undefined || typeof answer === 'string';
    const ownerShape = 'getLeaseOwner to answer a string or undefined';

    must(isOwner((await one.read(key)).answer), ownerShape);
    must(
      typeof (await one.renew(key, 'a', LONG_TTL_MS)).answer === 'boolean',
      'renewLease to answer a boolean',
    );
    must(
      typeof (await one.transfer(key, 'a', 'b', LONG_TTL_MS)).answer === 'boolean',
      'transferLease to answer a boolean',
    );
    must(isAnswerToAcquire((await one.acquire(key, 'a', LONG_TTL_MS)).answer), acquireShape);
    must(isAnswerToAcquire((await one.acquire(key, 'b', LONG_TTL_MS)).answer), acquireShape);
    must(isOwner((await one.read(key)).answer), ownerShape);
    must(
      typeof (await one.renew(key, 'a', LONG_TTL_MS)).answer === 'boolean',
      'renewLease to answer a boolean',
    );
    must(
      typeof (await one.renew(key, 'c', LONG_TTL_MS)).answer === 'boolean',
      'renewLease to answer a boolean',
    );
    must(
      typeof (await one.transfer(key, 'a', 'b', LONG_TTL_MS)).answer === 'boolean',
      'transferLease to answer a boolean',
    );
    const released = await one.release(key, 'b');
    return passed(
      released.answer === undefined ? undefined : 'releaseLease answers something, which nobody reads',
    );
  },
};
