import type { LeaseHealth } from '../lease/health.js';
import { unescapeText } from '../lease/text.js';
import { HEALTH_WORD } from './health-word.js';
import { idOf, type LeaseRow, resourceOf } from './lease-row.js';

/** Whether a row is wanted. */
export type RowTest = (row: LeaseRow) => boolean;

/** Whether a field of a row is what was asked for. */
type FieldTest = (row: LeaseRow, wanted: string) => boolean;

/** What `name:` in a filter looks at. Kinds and healths need only be begun. */
const FIELDS: ReadonlyMap<string, FieldTest> = new Map<string, FieldTest>([
  ['owner', ({ owner }, wanted) => has(owner, wanted)],
  ['thread', (row, wanted) => has(idOf(row), wanted)],
  ['resource', (row, wanted) => has(resourceOf(row), wanted)],
  ['kind', ({ parts }, wanted) => parts.kind.startsWith(wanted)],
  ['health', ({ health }, wanted) => health !== undefined && isHealth(health, wanted)],
]);

/** The names that a filter knows. */
export const FILTER_FIELDS = [...FIELDS.keys()];

/**
 * Reads a filter: words, all of which must be found in the key or the owner, or where `name:` says, in any case of
 * letters. Escapes are read as they are printed. `undefined` for a filter that wants everything.
 */
export function compileFilter(text: string, onlyProblems: boolean): RowTest | undefined {
  const tests = text
    .split(' ')
    .filter((word) => word !== '')
    .map(compileWord);
  if (onlyProblems) tests.push(({ health }) => health !== undefined && health !== 'ok');
  if (tests.length === 0) return undefined;
  return (row) => tests.every((test) => test(row));
}

function compileWord(word: string): RowTest {
  const colon = word.indexOf(':');
  const field = colon < 0 ? undefined : FIELDS.get(word.slice(0, colon));
  const wanted = meaning(field ? word.slice(colon + 1) : word).toLowerCase();
  if (field) return (row) => field(row, wanted);
  return ({ key, owner }) => has(key, wanted) || has(owner, wanted);
}

/** What is typed as it is printed means what was printed so. */
function meaning(word: string): string {
  const read = unescapeText(word);
  return 'text' in read ? read.text : word;
}

/** By its name, or by the word that the table shows. */
function isHealth(health: LeaseHealth, wanted: string): boolean {
  return health.startsWith(wanted) || HEALTH_WORD[health].toLowerCase().startsWith(wanted);
}

function has(text: string, wanted: string): boolean {
  return text.toLowerCase().includes(wanted);
}
