import { isAcquired, type RecordedCall } from '../call.js';
import { type Clause, passed, reported, skipped } from '../clause.js';
import { mustAcquire } from '../expectations.js';
import { SOURCES } from '../sources.js';

/** Where the only instance was closed nobody can release what it took. */
const TTL_MS = 5_000;

export const afterClose: Clause = {
  id: 'after-close',
  level: 'contract',
  sentence: 'After close() no call answers as if the key were free, held by another or lost.',
  source: SOURCES.practice,
  comesAfter: true,
  async run(trial) {
    const another = await trial.setting.openAnother();
    if (!another) return skipped('the factory has only one instance, and this run still needs it');
    if (!another.close) return skipped('it has no close()');
    const closed = trial.actorOn(another.endpoint);
    const key = trial.key();
    await mustAcquire(closed, key, 'a', TTL_MS);
    await another.close();
    const read = await closed.attempt({ method: 'getLeaseOwner', args: [key] });
    const acquire = await closed.attempt({ method: 'acquireLease', args: [trial.key(), 'a', TTL_MS] });
    const renew = await closed.attempt({ method: 'renewLease', args: [key, 'a', TTL_MS] });
    const transfer = await closed.attempt({ method: 'transferLease', args: [key, 'a', 'a', TTL_MS] });
    const misleading: readonly (readonly [RecordedCall, boolean, string])[] = [
      [read, read.answer === undefined, 'the owner reads as if the key were free'],
      [acquire, !isAcquired(acquire), 'acquireLease answers as if the key were held'],
      [renew, renew.answer === false, 'renewLease answers as if the lease were lost'],
      [transfer, transfer.answer === false, 'transferLease answers as if the lease were lost'],
    ];
    const found = misleading.find(([call, isMisleading]) => call.failure === undefined && isMisleading);
    if (!found) return passed(read.failure === undefined ? 'it goes on answering' : 'every call is refused');
    return reported(trial, 'after-close', {
      note: found[2],
      expected: 'a closed instance to refuse by throwing: an answer is taken for one about the lease',
      calls: [read, acquire, renew, transfer],
    });
  },
};
