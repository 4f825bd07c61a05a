import { randomUUID } from 'node:crypto';
import type { CallPlan, RecordedCall } from './call.js';
import type { Endpoint } from './endpoint.js';
import type { StandingLease } from './setting.js';
import { LONG_TTL_MS } from './timing.js';
import { untestable } from './untestable.js';

/** How often a call is timed to learn how long calls take. */
const TIMED_CALLS = 5;
const STANDING_TTL_MS = 15 * 60_000;
const STANDING_OWNER = 'standing';

/**
 * How long a call takes, in milliseconds.
 *
 * @throws LeaseError when the backend does not answer
 */
export async function timeCalls(endpoint: Endpoint, scratch: string): Promise<number> {
  const read: CallPlan = { method: 'getLeaseOwner', args: [`${scratch}:nobody`] };
  const calls = await callPlainly(endpoint, new Array<CallPlan>(TIMED_CALLS + 1).fill(read));
  // The first call also connects.
  const times = calls.slice(1).map(({ startMs, endMs }) => endMs - startMs);
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

/**
 * Takes the lease that is to stand until the run ends.
 *
 * @throws LeaseError when the backend does not answer
 */
export async function takeStanding(endpoint: Endpoint, scratch: string): Promise<StandingLease> {
  const [key, owner, ttlMs] = [`${scratch}:standing`, STANDING_OWNER, STANDING_TTL_MS];
  const [claim] = await callPlainly(endpoint, [{ method: 'acquireLease', args: [key, owner, ttlMs] }]);
  if (!claim) throw new Error('A call left no record');
  return { key, owner, ttlMs, claim };
}

/** @throws LeaseError when a plain use of a scratch key is not answered */
export async function assertAlive(endpoint: Endpoint, scratch: string): Promise<void> {
  const key = `${scratch}:alive:${randomUUID()}`;
  await callPlainly(endpoint, [
    { method: 'acquireLease', args: [key, 'a', LONG_TTL_MS] },
    { method: 'getLeaseOwner', args: [key] },
    { method: 'releaseLease', args: [key, 'a'] },
  ]);
}

/** Gives back whatever is held at these keys, whoever holds it. What fails at it ends by itself. */
export async function giveBack(endpoint: Endpoint, keys: readonly string[]): Promise<void> {
  const call = async (plan: CallPlan) => (await endpoint.run([{ client: endpoint.name, steps: [plan] }]))[0];
  await Promise.all(
    keys.map(async (key) => {
      const read = await call({ method: 'getLeaseOwner', args: [key] });
      if (typeof read?.answer === 'string') await call({ method: 'releaseLease', args: [key, read.answer] });
    }),
  );
}

async function callPlainly(endpoint: Endpoint, steps: readonly CallPlan[]): Promise<readonly RecordedCall[]> {
  const calls = await endpoint.run([{ client: endpoint.name, steps }]);
  const failed = calls.find(({ failure }) => failure !== undefined);
  if (failed) throw untestable(failed.method, failed.error, failed.failure);
  return calls;
}
