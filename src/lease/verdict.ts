import {
  DEFAULT_THRESHOLDS,
  type Judgement,
  type Verdict,
  type VerdictFacts,
  type VerdictThresholds,
} from './verdict-facts.js';
import { VERDICT_RULES } from './verdict-rules.js';
import { type VerdictView, viewOf } from './verdict-view.js';
import { messagesWaiting } from './verdict-words.js';

export {
  DEFAULT_THRESHOLDS,
  type Judgement,
  type ProducingRun,
  VERDICTS,
  type Verdict,
  type VerdictFacts,
  type VerdictThresholds,
} from './verdict-facts.js';

/**
 * Judges what was seen of a key, by the first of {@link VERDICT_RULES} that applies.
 *
 * @example
 * ```ts
 * import { judge, threadKey } from 'mastra-lease';
 *
 * const key = threadKey({ resource: 'user-42', thread: 't-1' });
 * const lease = { key, owner: 'run-1', remainingMs: null };
 * judge({ key, lease, evidence: 'unavailable', ttlMs: 15_000 }).verdict; // => 'no-expiry'
 * ```
 */
export function judge(facts: VerdictFacts, thresholds: VerdictThresholds = DEFAULT_THRESHOLDS): Judgement {
  const view = viewOf(facts, thresholds);
  for (const { verdict, test } of VERDICT_RULES) {
    const finding = test(view);
    if (!finding) continue;
    const cannotTellForMs = hiddenDeathMs(verdict, view);
    return {
      verdict,
      why: finding.why + messagesWaiting(view),
      ...(cannotTellForMs !== undefined && { cannotTellForMs }),
      ...(finding.runs.length > 0 && { runs: finding.runs }),
    };
  }
  throw new Error('The last rule of the table applies always');
}

/** Verdicts on an owner that is taken to be alive because its lease has not run down. */
const TAKEN_FOR_ALIVE: readonly Verdict[] = ['silent', 'unknown', 'parked', 'working'];

/**
 * A lease that has more left than the TTL which is assumed was given a longer one: it may have been renewed long ago, and
 * its owner may have died since. Only when it has run down to what counts as late does that show.
 */
function hiddenDeathMs(
  verdict: Verdict,
  { lease, health, facts, lastSignAtMs, isClockBehind, ageMs, thresholds }: VerdictView,
): number | undefined {
  const { assumedTtlMs = Number.POSITIVE_INFINITY } = health ?? {};
  const remainingMs = lease?.remainingMs ?? 0;
  if (!TAKEN_FOR_ALIVE.includes(verdict) || remainingMs <= assumedTtlMs) return undefined;
  if (facts.renewals && facts.renewals.seen > 0) return undefined;
  const isHeardOf = lastSignAtMs !== undefined && ageMs(lastSignAtMs) < thresholds.freshWithinMs;
  if (isHeardOf && !isClockBehind && verdict !== 'parked') return undefined;
  return Math.ceil(remainingMs - (assumedTtlMs * 2) / 3);
}
