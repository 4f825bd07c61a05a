import type { Clause } from './clause.js';
import type { Setting } from './setting.js';
import { isSlow } from './timing.js';

/** How many clauses are tried at the same time: on a fast backend more would disturb each other. */
const AT_A_TIME = 8;
const AT_A_TIME_ON_SLOW = 20;

export function clausesAtATime(setting: Setting): number {
  return isSlow(setting) ? AT_A_TIME_ON_SLOW : AT_A_TIME;
}

/** The clauses in their order, in groups: those of a group may be tried at the same time. */
export function groupsOf(clauses: readonly Clause[], setting: Setting): readonly (readonly Clause[])[] {
  const groups: Clause[][] = [[]];
  for (const clause of clauses) {
    const isAlone = clause.isBusy === true && !isSlow(setting);
    if (isAlone || clause.comesAfter) groups.push([]);
    groups.at(-1)?.push(clause);
    if (isAlone) groups.push([]);
  }
  return groups.filter((group) => group.length > 0);
}
