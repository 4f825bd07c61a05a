import { isAcquired, isRefused, namedOwner, type RecordedCall } from './call.js';
import { Violation } from './clause.js';
import type { ClientPlan, Endpoint } from './endpoint.js';
import { inRounds } from './rounds.js';
import { LONG_TTL_MS } from './timing.js';
import { together } from './together.js';
import type { Trial } from './trial.js';

/**
 * Lets many callers ask for one key at once, over these endpoints, round after round.
 *
 * @returns how many rounds there were
 */
export function claimAtOnce(trial: Trial, endpoints: readonly Endpoint[], callers: number): Promise<number> {
  return inRounds(trial, { atLeast: 5, atMost: 30, withinMs: 700 }, async () => {
    const key = trial.key();
    const claims = await together(
      endpoints.map((endpoint, place) =>
        trial.run(endpoint, claimants(key, endpoints.length, place, callers)),
      ),
    );
    assertOneWinner(claims.flat());
  });
}

function claimants(key: string, places: number, place: number, callers: number): readonly ClientPlan[] {
  return Array.from({ length: callers }, (_, index) => index)
    .filter((index) => index % places === place)
    .map((index) => ({
      client: `caller ${index + 1}`,
      steps: [{ method: 'acquireLease', args: [key, `caller-${index + 1}`, LONG_TTL_MS] }],
    }));
}

function assertOneWinner(claims: readonly RecordedCall[]): void {
  const winners = claims.filter(isAcquired);
  const [winner] = winners;
  if (!winner || winners.length > 1) {
    throw new Violation(`one winner among ${claims.length} callers, there were ${winners.length}`, {
      calls: winner ? winners.slice(0, 6) : claims.slice(0, 6),
      note: `${winners.length} winners`,
    });
  }
  const misled = claims.find(
    (claim) => claim !== winner && (!isRefused(claim) || namedOwner(claim) !== winner.args[1]),
  );
  if (!misled) return;
  throw new Violation('every other caller to be refused in the name of the winner', {
    calls: [winner, misled],
  });
}
