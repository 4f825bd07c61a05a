import { isAcquired } from '../call.js';
import { type Clause, type Finding, passed, skipped } from '../clause.js';
import { mustAcquire } from '../expectations.js';
import { SOURCES } from '../sources.js';

/** Where the only instance was closed nobody can release what it took. */
const TTL_MS = 5_000;

export const afterClose: Clause = {
  id: 'after-close',
  level: 'contract',
  sentence: 'After close() no call answers as if the key were free or given.',
  source: SOURCES.practice,
  isAlone: true,
  async run(trial) {
    const { setting } = trial;
    const another = await setting.openAnother();
    if (!another) return skipped('the factory has only one instance, and this run still needs it');
    if (!another.close) return skipped('it has no close()');
    const closed = trial.actorOn(another.endpoint);
    const key = trial.key();
    await mustAcquire(closed, key, 'a', TTL_MS);
    await another.close();
    const read = await closed.attempt({ method: 'getLeaseOwner', args: [key] });
    const acquire = await closed.attempt({ method: 'acquireLease', args: [trial.key(), 'a', TTL_MS] });
    const renew = await closed.attempt({ method: 'renewLease', args: [key, 'a', TTL_MS] });
    const calls = [read, acquire, renew];
    const reported = (note: string): Finding => ({
      result: 'reported',
      note,
      expected: 'a closed instance to refuse by throwing: an answer is taken for one about the lease',
      calls,
    });
    if (read.failure === undefined && read.answer === undefined)
      return reported('the owner reads as if the key were free');
    if (acquire.failure === undefined && !isAcquired(acquire))
      return reported('acquireLease answers as if the key were held');
    if (renew.failure === undefined && renew.answer === false)
      return reported('renewLease answers as if the lease were lost');
    return passed(read.failure === undefined ? 'it goes on answering' : 'every call is refused');
  },
};
