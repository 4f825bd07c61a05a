import { findOrInstallRedisServer } from '../test/support/redis-binary.js';
import { describeMachine, loadNow } from './harness/machine.js';
import { writePage } from './harness/page.js';
import type { Findings, Part, Table } from './harness/part.js';
import { drawPlot } from './harness/plot.js';
import { keepResult } from './harness/results.js';
import { execPart } from './parts/exec.js';
import { listPart } from './parts/list.js';
import { loadPart } from './parts/load.js';
import { roundTripsPart } from './parts/roundtrips.js';
import { startUpPart } from './parts/startup.js';
import { throughputPart } from './parts/throughput.js';
import { watchPart } from './parts/watch.js';

const PARTS: readonly Part[] = [
  startUpPart,
  roundTripsPart,
  throughputPart,
  listPart,
  watchPart,
  execPart,
  loadPart,
];

/** Runs the parts that are named, or all; answers the exit code, 1 when a goal is missed. */
export async function runBench(names: readonly string[]): Promise<number> {
  const unknown = names.find((name) => !PARTS.some((part) => part.name === name));
  if (unknown !== undefined) {
    print(`There is no part ${unknown}: ${PARTS.map(({ name }) => name).join(', ')}`);
    return 2;
  }
  const redisServer = await findOrInstallRedisServer();
  process.env.MASTRA_LEASE_TEST_REDIS_SERVER = redisServer;
  const machine = describeMachine(redisServer);
  let isMet = true;
  for (const part of PARTS) {
    if (names.length > 0 && !names.includes(part.name)) continue;
    const { run, ...about } = part;
    const load = loadNow();
    print(`\n# ${part.title} (load average ${load.toFixed(1)})\n`);
    const startedMs = performance.now();
    const findings = await run();
    const tookS = Math.round((performance.now() - startedMs) / 1_000);
    tell(findings);
    print(`in ${tookS} s`);
    for (const plot of findings.plots ?? []) drawPlot(plot);
    const at = new Date().toISOString();
    writePage(keepResult({ ...about, ...findings, at, tookS, load, machine }));
    isMet &&= findings.goals.every((goal) => goal.isMet);
  }
  return isMet ? 0 : 1;
}

function tell({ tables, goals }: Findings): void {
  for (const table of tables) printTable(table);
  printTable({
    title: 'Goals',
    columns: ['what', 'goal', 'figure', 'met'],
    rows: goals.map(({ what, goal, figure, isMet }) => [what, goal, figure, isMet ? 'yes' : 'NO']),
  });
}

function printTable({ title, columns, rows }: Table): void {
  const all = [columns, ...rows];
  const widths = columns.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  print(title);
  for (const row of all) {
    print(
      `  ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')}`,
    );
  }
  print('');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
