import { fileURLToPath } from 'node:url';
import { markdownTable } from '../support/generated-part.js';
import type { Cell, FaultReport } from './cell.js';
import { CLI_VERBS } from './cli-verbs.js';
import { LIBRARY_VERBS } from './library-verbs.js';
import { heldAfterwards, timeTaken, wordingOf } from './wording.js';

/** Where the results are, for people; the tests are compared with it. */
export const DOCUMENT = fileURLToPath(new URL('../../docs/faults.md', import.meta.url));

/** The table of exit codes, or of what the library answers: a line for each fault. */
export function overview(reports: readonly FaultReport[], surface: Cell['surface']): string {
  const verbs = (surface === 'cli' ? CLI_VERBS : LIBRARY_VERBS).map(({ verb }) => verb);
  return markdownTable(
    ['fault', ...verbs.map((verb) => `\`${verb}\``)],
    reports.map(({ fault, cells }) => [
      fault.name,
      ...verbs.map((verb) => {
        const cell = cells.find((one) => one.surface === surface && one.verb === verb);
        return cell ? shortAnswer(cell) : '';
      }),
    ]),
  );
}

/** In the table of the library the codes are shortened: `UNREACHABLE` is `ERR_LEASE_UNREACHABLE`. */
function shortAnswer({ surface, answer, hasFailed }: Cell): string {
  if (surface === 'cli') return answer;
  return hasFailed ? answer.replace('ERR_LEASE_', '').replaceAll('_', ' ').toLowerCase() : 'answers';
}

/** What each verb came to under one fault; verbs that came to the same share a line. */
export function detail({ fault, cells, startMs }: FaultReport): string {
  const lines = new Map<string, { readonly verbs: string[]; readonly rest: readonly string[] }>();
  for (const cell of cells) {
    const came = [`\`${cell.answer}\``, wordingOf(cell), heldAfterwards(cell, fault.losesLeases === true)];
    const line = lines.get(came.join('\0'));
    if (line) line.verbs.push(`\`${cell.verb}\``);
    else
      lines.set(came.join('\0'), { verbs: [`\`${cell.verb}\``], rest: [...came, timeTaken(cell, startMs)] });
  }
  return markdownTable(
    ['verbs', 'comes to', 'what is said', 'held afterwards', 'time'],
    [...lines.values()].map(({ verbs, rest }) => [verbs.join(', '), ...rest]),
  );
}

/** What a table of {@link detail} says of each verb, but for how long it took and what to do about it. */
export function kindsIn(table: string): readonly string[] {
  return table
    .split('\n')
    .slice(2)
    .flatMap((line) => {
      const [verbs = '', answer, said = '', held] = line.slice(2).split(' | ');
      const [kind = ''] = said.split(' — ');
      return verbs
        .split(', ')
        .map((verb) => [verb, answer, isByChance(verb, answer) ? '' : kind, held].join(' | '));
    })
    .sort();
}

/** What `wait` saw last, when its time was up, depends on the moment. */
function isByChance(verb: string, answer: string | undefined): boolean {
  return verb === '`wait`' && answer === '`7`';
}

/** The heading under which the document has a fault's table. */
function headingOf({ name, sentence }: FaultReport['fault']): string {
  return `### ${name}\n\n${sentence[0]?.toUpperCase()}${sentence.slice(1)}.`;
}

/** Everything that is generated between the marks `detail`. */
export function details(reports: readonly FaultReport[]): string {
  return reports.map((report) => `${headingOf(report.fault)}\n\n${detail(report)}`).join('\n\n');
}

/** The table of one fault in the document. */
export function documentedDetail(generated: string, fault: FaultReport['fault']): string {
  const [, after] = generated.split(`${headingOf(fault)}\n\n`);
  if (after === undefined) return '';
  return after.split('\n\n')[0] ?? '';
}
