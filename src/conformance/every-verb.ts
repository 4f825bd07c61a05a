import { isAcquired, isRefused, namedOwner, type RecordedCall } from './call.js';
import { Violation } from './clause.js';
import { LONG_TTL_MS } from './timing.js';
import type { Trial } from './trial.js';

/** Takes one lease through every verb. `what` names what is special about it. */
export async function throughEveryVerb(
  trial: Trial,
  what: string,
  key: string,
  [owner, next]: readonly [string, string],
): Promise<void> {
  const { one } = trial;
  const calls: RecordedCall[] = [];
  const check = async (
    calling: Promise<RecordedCall>,
    holds: (call: RecordedCall) => boolean,
    how: string,
  ) => {
    const call = await calling;
    calls.push(call);
    if (!holds(call)) throw new Violation(`${what}: ${how}`, { calls, note: what });
  };
  const names = (name: string) => (call: RecordedCall) => namedOwner(call) === name;
  const answers = (answer: unknown) => (call: RecordedCall) => call.answer === answer;

  await check(
    one.acquire(key, owner, LONG_TTL_MS),
    (call) => isAcquired(call) && names(owner)(call),
    'to be given to its first owner, by its name',
  );
  await check(
    one.acquire(key, next, LONG_TTL_MS),
    (call) => isRefused(call) && [owner, undefined].some((name) => namedOwner(call) === name),
    'to be refused to another owner, in the name of the first',
  );
  await check(one.read(key), answers(owner), 'to be its first owner’s');
  await check(one.renew(key, owner, LONG_TTL_MS), answers(true), 'to be renewed by its first owner');
  await check(one.renew(key, next, LONG_TTL_MS), answers(false), 'to be renewed by nobody else');
  await check(
    one.transfer(key, owner, next, LONG_TTL_MS),
    answers(true),
    'to be transferred to the next owner',
  );
  await check(one.read(key), answers(next), 'to be the next owner’s');
  await check(one.release(key, next), () => true, 'to be released');
  await check(one.read(key), answers(undefined), 'to be free once it is released');
}
