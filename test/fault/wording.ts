import type { Cell } from './cell.js';

/** What varies from run to run, and what stands for it in the table. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  // Which backend it was is told in every answer.
  [/ · (redis|sqlite)\S*:.*$/, ''],
  [/^(error )?(read|list|acquire|renew|transfer|release)(?=:| was sent | is not permitted )/, '$1VERB'],
  [/\b127\.0\.0\.1:\d+/g, 'HOST:PORT'],
  [/\S*\/mastra-lease-test-\w+\/\S+?\.db\b/g, 'FILE'],
  [/\{one-slot\}\.|'(?=\{one-slot\})|(?<=KEY)'/g, ''],
  [/\b(cli|library)\.[\w-]+/g, 'KEY'],
  // Redis and Valkey, and their versions, word it differently.
  [/NOPERM .*?(?= —|$)/, 'NOPERM …'],
  [/\(until [^)]+\)/g, '(until INSTANT)'],
  [/\b\d+(\.\d+)? (min|s|ms)\b( \d+ s)?/g, 'TIME'],
  [/\b\d+ leases? of \d+\b/g, 'N leases of N'],
  [/\b\d+ leases seen/g, 'N leases seen'],
  [/\b(user )?\S+@\S+(?= (acquire|renew|transfer|release) )/g, 'WHO'],
];

/** A line that only names the backend. */
const SOURCE = /^(redis|rediss|sqlite)\S* .*MASTRA_LEASE_BACKEND$/;

/** What a person reads, in one line, without what varies: an error, or the first line of an answer and what is odd about it. */
export function wordingOf({ said, hasFailed }: Cell): string {
  const lines = said
    .split('\n')
    .map((line) => line.replace(/^mastra-lease: /, ''))
    .filter((line) => line !== '' && !line.startsWith('audit: ') && !SOURCE.test(line));
  const error = lines.find((line) => line.startsWith('error '));
  const odd = lines.filter((line) => line.includes('was lost;'));
  const told = hasFailed
    ? [error ?? lines[0] ?? '']
    : [lines[0] ?? '', ...odd.filter((line) => line !== lines[0])];
  return told.map(withoutVarying).join('; ') || '·';
}

function withoutVarying(text: string): string {
  return VARYING.reduce((line, [pattern, word]) => line.replace(pattern, word), text);
}

/** What is there afterwards, where it is not what was there before. */
export function heldAfterwards({ before, after, effects }: Cell, losesLeases: boolean): string {
  const isLonger = (after?.leftMs ?? 0) > (before?.leftMs ?? 0);
  if (after?.owner === before?.owner && !isLonger) return 'as before';
  if (after) return after.owner === before?.owner ? `${after.owner}, renewed` : `${after.owner}, now`;
  return (effects ?? (losesLeases ? 0 : 1)) > 0 ? 'nobody, now' : 'nobody: it is gone';
}

/** Roughly how long it took, without the start of the program. */
export function timeTaken({ ms, surface }: Cell, startMs: number): string {
  const seconds = (ms - (surface === 'cli' ? startMs : 0)) / 1_000;
  return seconds < 0.9 ? 'at once' : `${Math.round(seconds)} s`;
}
