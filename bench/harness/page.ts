import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Goal, Table } from './part.js';
import type { PartResult, Results } from './results.js';

const PAGE = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));

/** Writes what was measured into the page, between its markers: the text around them is nobody's but its writer's. */
export function writePage(results: Results): void {
  let page = readFileSync(PAGE, 'utf8');
  page = replaced(page, 'goals', goalsOfAll(results));
  for (const [name, result] of Object.entries(results)) page = replaced(page, name, partText(result));
  writeFileSync(PAGE, page);
}

function replaced(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`Expected ${begin} and ${end} in docs/performance.md`);
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
}

function goalsOfAll(results: Results): string {
  const parts = Object.values(results);
  const met = parts.flatMap(({ goals }) => goals).filter(({ isMet }) => isMet).length;
  const all = parts.flatMap(({ goals }) => goals).length;
  const rows = parts.flatMap(({ title, goals }) => goals.map((goal) => [title, ...goalRow(goal)]));
  return `${met} of ${all} goals are met.\n\n${markdown({
    title: '',
    columns: ['Part', 'What', 'Goal', 'Figure', 'Met'],
    rows,
  })}`;
}

function goalRow({ what, goal, figure, isMet }: Goal): string[] {
  return [what, goal, figure, isMet ? 'yes' : '**no**'];
}

function partText(result: PartResult): string {
  const { work, peer, limit, tables, goals, plots = [], at, tookS, load, machine } = result;
  const { cpu, cores, memoryGb, system, node, redis, packages } = machine;
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  const notes = goals.flatMap(({ what, isMet, note }) =>
    isMet || note === undefined ? [] : [`- ${what}: ${note}`],
  );
  return [
    `Work: ${work}\\\nBeside it: ${peer}\\\nLimit: ${limit}`,
    ...tables.map((table) => `**${table.title}**\n\n${markdown(table)}`),
    ...plots.map(({ name, title }) => `![${title}](images/bench-${name}.svg)`),
    markdown({ title: '', columns: ['Goal', 'Wanted', 'Figure', 'Met'], rows: goals.map(goalRow) }),
    ...(notes.length > 0 ? [notes.join('\n')] : []),
    `<sub>${at.slice(0, 16).replace('T', ' ')} UTC, in ${tookS} s, load average before ${load.toFixed(1)} · ${cpu}, ${cores} cores, ${memoryGb} GB, ${system} · Node ${node}, Redis ${redis}, ${versions.join(', ')}</sub>`,
  ].join('\n\n');
}

function markdown({ columns, rows }: Table): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const rule = columns.map((_, index) => (index === 0 ? '---' : '--:'));
  return [line(columns), line(rule), ...rows.map(line)].join('\n');
}
