import { setImmediate } from 'node:timers/promises';
import type { Actor } from './actor.js';
import { isAcquired, precedes, type RecordedCall } from './call.js';
import { Violation } from './clause.js';
import type { ClientPlan, RunningClients } from './endpoint.js';
import { mustAcquire } from './expectations.js';
import { Rounds } from './rounds.js';
import { isSlow, LONG_TTL_MS } from './timing.js';
import { together } from './together.js';
import { answered, type Trial } from './trial.js';

/** What racing acquirers made of many transfers. */
export type TransferRace = {
  readonly transfers: number;
  /** Calls of others that went on during a transfer. */
  readonly attempts: number;
} & (
  | { readonly verdict: 'atomic' | 'not shown' }
  | { readonly verdict: 'not atomic'; readonly how: string; readonly calls: readonly RecordedCall[] }
);

const LIMITS = { atLeast: 8, atMost: 1_000, withinMs: 1_500 };
/** How many others try to get in, in this process; more where there is time for few transfers. */
const RACERS = 8;
const RACERS_ON_SLOW = 16;
/** Attempts of others that one turn of the event loop may hold: a transfer that waits for the next one must get it. */
const ATTEMPTS_PER_TURN = 4;
/** Below so many attempts during transfers nothing is shown. */
const TELLING_ATTEMPTS = 150;
const OWNERS = ['even', 'odd'] as const;

/**
 * Hands one key back and forth between two owners while others read it and ask for it without a pause, here and in other
 * processes. Whoever gets it, or reads that nobody holds it, was in a gap.
 */
export async function raceTransfers(trial: Trial): Promise<TransferRace> {
  const key = trial.key();
  await mustAcquire(trial.one, key, OWNERS[0], LONG_TTL_MS);
  const loops = await together(trial.setting.processes.map((process) => process.loop(intruders(key))));
  const transfers: RecordedCall[] = [];
  let attempts = 0;
  let seen: Intrusion | undefined;
  try {
    const rounds = new Rounds(trial, LIMITS);
    while (!seen && rounds.next()) {
      const round = await raceOnce(trial, key, rounds.done);
      transfers.push(round.transfer);
      attempts += round.others.filter((call) => overlaps(call, round.transfer)).length;
      seen = findIntrusion(round.others, [round.transfer]);
      if (round.transfer.answer !== true) break;
    }
  } finally {
    const elsewhere = answered((await stopAll(loops)).flat());
    attempts += elsewhere.filter((call) => transfers.some((transfer) => overlaps(call, transfer))).length;
    seen ??= findIntrusion(elsewhere, transfers);
  }
  const counts = { transfers: transfers.length, attempts };
  if (seen) return { ...counts, verdict: 'not atomic', ...seen };
  const last = transfers.at(-1);
  if (last && last.answer !== true) {
    throw new Violation('the holder to transfer its lease: nobody else was given the key', { calls: [last] });
  }
  return { ...counts, verdict: attempts >= TELLING_ATTEMPTS ? 'atomic' : 'not shown' };
}

interface Intrusion {
  readonly how: string;
  readonly calls: readonly RecordedCall[];
}

/** One transfer, and what others asked while it went on. */
async function raceOnce(
  trial: Trial,
  key: string,
  round: number,
): Promise<{ readonly transfer: RecordedCall; readonly others: readonly RecordedCall[] }> {
  const [from, to] = round % 2 === 1 ? OWNERS : OWNERS.toReversed();
  if (from === undefined || to === undefined) throw new Error('There are two owners');
  let isOver = false;
  const [here] = trial.setting.endpoints;
  if (!here) throw new Error('A run has at least one instance');
  const holder = trial.actorOn(here, 'holder');
  const transferring = holder.transfer(key, from, to, LONG_TTL_MS).finally(() => {
    isOver = true;
  });
  const racers = isSlow(trial.setting) ? RACERS_ON_SLOW : RACERS;
  const racing = trial.actors(racers).map(({ endpoint }, index) => {
    const racer = trial.actorOn(endpoint, `${index % 3 === 2 ? 'reader' : 'racer'} ${index + 1}`);
    return attemptUntil(racer, key, index, () => isOver);
  });
  const [transfer, ...others] = await together([transferring, ...racing]);
  return { transfer, others: others.flat() };
}

/** Asks over and over until the transfer is over; the racers begin a few microtasks apart. */
async function attemptUntil(
  actor: Actor,
  key: string,
  index: number,
  isOver: () => boolean,
): Promise<readonly RecordedCall[]> {
  for (let microtask = 0; microtask < index; microtask += 1) await undefined;
  const calls: RecordedCall[] = [];
  do {
    const call = index % 3 === 2 ? actor.read(key) : actor.acquire(key, `racer-${index + 1}`, LONG_TTL_MS);
    calls.push(await call);
    if (calls.length % ATTEMPTS_PER_TURN === 0) await setImmediate();
  } while (!isOver() && !calls.some(isAcquired));
  return calls;
}

function intruders(key: string): readonly ClientPlan[] {
  return [
    { client: 'racer', steps: [{ method: 'acquireLease', args: [key, `racer-${key.length}`, LONG_TTL_MS] }] },
    { client: 'reader', steps: [{ method: 'getLeaseOwner', args: [key] }] },
  ];
}

/** The first call that was in a gap, with the transfers it overlapped. */
function findIntrusion(
  others: readonly RecordedCall[],
  transfers: readonly RecordedCall[],
): Intrusion | undefined {
  const intruder =
    others.find(isAcquired) ??
    others.find(({ method, answer }) => method === 'getLeaseOwner' && answer === undefined);
  if (!intruder) return undefined;
  const meanwhile = transfers.filter((transfer) => overlaps(transfer, intruder));
  return {
    how: isAcquired(intruder)
      ? `${intruder.client} got the key during a transfer`
      : `${intruder.client} read that nobody held the key during a transfer`,
    calls: [...(meanwhile.length > 0 ? meanwhile : transfers.slice(-1)), intruder],
  };
}

function overlaps(one: RecordedCall, other: RecordedCall): boolean {
  return !precedes(one, other) && !precedes(other, one);
}

function stopAll(loops: readonly RunningClients[]): Promise<readonly (readonly RecordedCall[])[]> {
  return together(loops.map((loop) => loop.stop()));
}
