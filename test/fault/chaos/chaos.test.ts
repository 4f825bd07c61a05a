import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { makeTempDir } from '../../support/temp-dir.js';
import { runChaos } from './keep-data.js';
import { overlapsIn, readLedger } from './ledger.js';
import { runDataLoss } from './lose-data.js';

/** `npm run chaos` sets them. */
const SEED = Number(process.env.CHAOS_SEED ?? 7);
const MINUTES = Number(process.env.CHAOS_MINUTES ?? 0.25);
const MS = MINUTES * 60_000;
/** Starting, and letting the last runs come to their end. */
const AROUND_MS = 60_000;

const CRITICAL_SECTION = fileURLToPath(new URL('./critical-section.js', import.meta.url));

test('two that are in at the same time are seen in the ledger', async () => {
  await using directory = await makeTempDir();
  const ledger = join(directory.path, 'ledger');
  const ends = ['a', 'b'].map((name) =>
    once(spawn(process.execPath, [CRITICAL_SECTION, ledger, name, '500', '0']), 'exit'),
  );
  await Promise.all(ends);
  const stays = await readLedger(ledger);
  expect(stays.map(({ hasLeft }) => hasLeft)).toEqual([true, true]);
  expect(overlapsIn(stays, ({ lastAt }) => lastAt)).toHaveLength(1);
});

test(
  'eight processes never hold one lease at the same time, whatever happens to their lines, the server and themselves',
  async () => {
    const report = await runChaos({ seed: SEED, ms: MS });
    process.stdout.write(`${report.summary}\n`);
    expect(report.overlaps).toEqual([]);
    expect(report.broken).toEqual([]);
    expect(report.stays).toBeGreaterThan(0);
  },
  MS + AROUND_MS,
);

test(
  'a lease that is lost with its data is told to its holder within a third of the TTL and one call',
  async () => {
    const report = await runDataLoss({ seed: SEED, ms: MS * 0.6 });
    process.stdout.write(`${report.summary}\n`);
    expect(report.late).toEqual([]);
    expect(report.broken).toEqual([]);
    expect(report.events).toBeGreaterThan(0);
  },
  MS + AROUND_MS,
);
