import type { CallPlan, RecordedCall } from '../call.js';
import { type Clause, type Finding, passed, Violation } from '../clause.js';
import { mustAcquire } from '../expectations.js';
import { SOURCES } from '../sources.js';
import { isWithin, measure, overAt } from '../timing.js';
import type { Trial } from '../trial.js';

/** TTLs that mean nothing. A fraction is less than the TTL that is held, so that taking it for a TTL is no mistake. */
const INVALID: readonly ((ttlMs: number) => number)[] = [
  () => 0,
  () => -5,
  () => Number.NaN,
  () => Number.POSITIVE_INFINITY,
  (ttlMs) => ttlMs - 0.5,
];

/** What was tried with one TTL: a lease that was held, a key that was free, and what became of them. */
interface Attempt {
  readonly name: string;
  readonly held: string;
  readonly free: string;
  readonly calls: RecordedCall[];
}

export const safeTtl: Clause = {
  id: 'safe-ttl',
  level: 'contract',
  sentence:
    'An invalid TTL (0, negative, NaN, infinite, a fraction) neither deletes a lease nor makes it last for ever.',
  source: SOURCES.practice,
  run: (trial) =>
    measure(trial, async (shortMs) => {
      const ttlMs = shortMs * 2;
      const attempts: Attempt[] = [];
      let lastClaim: RecordedCall | undefined;
      for (const verb of ['acquireLease', 'renewLease', 'transferLease'] as const) {
        for (const invalid of INVALID) {
          const [held, free] = [trial.key(':held'), trial.key(':free')];
          const claim = await mustAcquire(trial.one, held, 'a', ttlMs);
          lastClaim = claim;
          const bad = invalid(ttlMs);
          const plan: CallPlan =
            verb === 'transferLease'
              ? { method: verb, args: [held, 'a', 'a', bad] }
              : { method: verb, args: [held, 'a', bad] };
          const call = await trial.one.attempt(plan);
          const read = await trial.one.read(held);
          if (!isWithin(read, claim, ttlMs)) return 'void';
          const attempt = { name: `${verb} with ${bad}`, held, free, calls: [claim, call, read] };
          if (read.answer !== 'a') return harmed(trial, attempt, 'deletes the lease of the caller');
          if (verb === 'acquireLease') {
            attempt.calls.push(await trial.one.attempt({ method: verb, args: [free, 'a', bad] }));
          }
          attempts.push(attempt);
        }
      }
      if (lastClaim) await trial.sleepUntil(overAt(trial, lastClaim, ttlMs) + ttlMs);
      for (const attempt of attempts) {
        for (const key of [attempt.held, attempt.free]) {
          const read = await trial.one.read(key);
          attempt.calls.push(read);
          if (read.answer !== undefined) return harmed(trial, attempt, 'leaves a lease that does not end');
        }
      }
      return passed(`${attempts.length} calls`);
    }),
};

function harmed(trial: Trial, { name, calls }: Attempt, what: string): Finding {
  const expected = 'an invalid TTL to be refused, or to change nothing';
  const note = `${name} ${what}`;
  if (trial.setting.requirements.has('safe-ttl')) throw new Violation(expected, { calls, note });
  return { result: 'reported', note, expected, calls };
}
