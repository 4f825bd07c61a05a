import type { Actor } from './actor.js';
import { isAcquired, isRefused, type RecordedCall } from './call.js';
import { Violation } from './clause.js';

/** @throws {@link Violation} */
export function must(holds: boolean, expected: string): void {
  if (!holds) throw new Violation(expected);
}

/** Claims a key that nobody else holds. */
export async function mustAcquire(
  actor: Actor,
  key: string,
  owner: string,
  ttlMs: number,
  why = 'a key that nobody else holds is given to who asks for it',
): Promise<RecordedCall> {
  const claim = await actor.acquire(key, owner, ttlMs);
  must(isAcquired(claim), why);
  return claim;
}

/** Asks for a key that another owner holds. */
export async function mustBeRefused(
  actor: Actor,
  key: string,
  owner: string,
  ttlMs: number,
): Promise<RecordedCall> {
  const refusal = await actor.acquire(key, owner, ttlMs);
  must(isRefused(refusal), 'a key that another owner holds is refused');
  return refusal;
}

/** Reads the owner; `undefined` expects that nobody holds the key. */
export async function mustBeHeldBy(
  actor: Actor,
  key: string,
  owner: string | undefined,
  why: string,
): Promise<RecordedCall> {
  const read = await actor.read(key);
  must(read.answer === owner, why);
  return read;
}

/** Renews or transfers; either answers with a boolean and nothing that merely looks like one. */
export async function mustAnswer(
  calling: Promise<RecordedCall>,
  answer: boolean,
  why: string,
): Promise<RecordedCall> {
  const call = await calling;
  must(call.answer === answer, why);
  return call;
}
