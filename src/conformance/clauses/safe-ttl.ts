import type { RecordedCall } from '../call.js';
import { type Clause, type Finding, passed, reported } from '../clause.js';
import { mustAcquire } from '../expectations.js';
import { SOURCES } from '../sources.js';
import { isWithin, measure } from '../timing.js';
import { together } from '../together.js';
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
  readonly calls: readonly RecordedCall[];
  /** Whether it was held right afterwards, and whether it had to be. */
  readonly isHeld: boolean;
  readonly isTelling: boolean;
}

const VERBS = ['acquireLease', 'renewLease', 'transferLease'] as const;

export const safeTtl: Clause = {
  id: 'safe-ttl',
  level: 'contract',
  sentence:
    'An invalid TTL (0, negative, NaN, infinite, a fraction) neither deletes a lease nor makes it last for ever.',
  source: SOURCES.practice,
  run: (trial) =>
    measure(trial, async (shortMs) => {
      const ttlMs = shortMs * 2;
      const attempts = await together(
        VERBS.flatMap((verb) => INVALID.map((invalid) => attempt(trial, verb, ttlMs, invalid(ttlMs)))),
      );
      const deleted = attempts.find(({ isHeld, isTelling }) => !isHeld && isTelling);
      if (deleted) return harmed(trial, deleted, 'deletes the lease of the caller');
      if (attempts.some(({ isTelling }) => !isTelling)) return 'void';
      const lastMs = Math.max(...attempts.flatMap(({ calls }) => calls.map(({ endMs }) => endMs)));
      await trial.sleepUntil(lastMs + ttlMs + trial.setting.expiryToleranceMs);
      const reads = await together(
        attempts.map(({ held, free }) => together([trial.one.read(held), trial.one.read(free)])),
      );
      for (const [index, tried] of attempts.entries()) {
        const left = reads[index]?.find(({ answer }) => answer !== undefined);
        if (!left) continue;
        const calls = [...tried.calls, left];
        return harmed(trial, { ...tried, calls }, 'leaves a lease that does not end');
      }
      return passed(`${attempts.length} calls`);
    }),
};

/** Makes one call with a TTL that means nothing, of a lease that is held and, where the verb can, of a key that is free. */
async function attempt(
  trial: Trial,
  verb: (typeof VERBS)[number],
  ttlMs: number,
  invalidMs: number,
): Promise<Attempt> {
  const { one } = trial;
  const [held, free] = [trial.key(':held'), trial.key(':free')];
  const claim = await mustAcquire(one, held, 'a', ttlMs);
  const owners = verb === 'transferLease' ? ['a', 'a'] : ['a'];
  const call = await one.attempt({ method: verb, args: [held, ...owners, invalidMs] });
  const read = await one.read(held);
  const calls = [claim, call, read];
  if (verb === 'acquireLease') calls.push(await one.attempt({ method: verb, args: [free, 'a', invalidMs] }));
  const isTelling = isWithin(read, claim, ttlMs);
  return { name: `${verb} with ${invalidMs}`, held, free, calls, isHeld: read.answer === 'a', isTelling };
}

function harmed(trial: Trial, { name, calls }: Attempt, what: string): Finding {
  return reported(trial, 'safe-ttl', {
    note: `${name} ${what}`,
    expected: 'an invalid TTL to be refused, or to change nothing',
    calls,
  });
}
