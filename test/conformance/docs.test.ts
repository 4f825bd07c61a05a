import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { ConformanceReport } from '../../src/conformance/report.js';
import { runConformance } from '../../src/conformance/run-conformance.js';
import {
  clausesPart,
  gapPart,
  mutantCells,
  mutantsPart,
  providersPart,
  readPart,
  withPart,
} from './documented.js';
import { LeaseServer } from './mutants/correct-leases.js';
import { MUTANTS } from './mutants/index.js';
import type { Mutant } from './mutants/mutant.js';
import { RIGHT_PROVIDERS } from './providers.js';

const DOCUMENT = fileURLToPath(new URL('../../docs/conformance.md', import.meta.url));
/** `npm run docs:conformance` sets it: then the results are made anew and written. */
const IS_WRITING = process.env.CONFORMANCE_DOCS === 'write';
/** How many mutants are run through all clauses at a time: most of a run is waiting. */
const AT_A_TIME = 6;

if (IS_WRITING) {
  it('npm run docs:conformance writes the results into the document', async () => {
    const mutants = await runMutants();
    const gap = [...mutants].find(
      ([{ name }]) => name === 'transfer: release, then acquire, declared atomic',
    )?.[1];
    if (!gap) throw new Error('There is no mutant with a gap');
    let document = await readFile(DOCUMENT, 'utf8');
    document = withPart(document, 'clauses', clausesPart());
    document = withPart(document, 'providers', providersPart(await runProviders()));
    document = withPart(document, 'mutants', mutantsPart(mutants));
    document = withPart(document, 'gap', gapPart(gap));
    await writeFile(DOCUMENT, document);
  }, 600_000);
}

describe('docs/conformance.md', () => {
  it('tells what each clause means', async () => {
    expect(readPart(await readFile(DOCUMENT, 'utf8'), 'clauses')).toBe(clausesPart());
  });

  it('has every mutant, caught by the clause meant for it', async () => {
    const rows = readPart(await readFile(DOCUMENT, 'utf8'), 'mutants')
      .split('\n')
      .slice(2);
    expect(rows.map((row) => row.split(' | ').slice(0, 3).join(' | '))).toEqual(
      MUTANTS.map((mutant) => `| ${[...mutantCells(mutant), 'yes'].join(' | ')}`),
    );
  });

  it('has every provider that must conform, conforming', async () => {
    const rows = readPart(await readFile(DOCUMENT, 'utf8'), 'providers')
      .split('\n')
      .slice(2);
    expect(rows.map((row) => row.split(' | ').slice(0, 2).join(' | '))).toEqual(
      Object.keys(RIGHT_PROVIDERS).map((name) => `| ${name} | conforms`),
    );
  });

  it('shows the gap of a transfer that releases and then acquires', async () => {
    const gap = readPart(await readFile(DOCUMENT, 'utf8'), 'gap');
    expect(gap).toMatch(/\[=+\] +transferLease\("~:atomic-transfer:1", "even", "odd", 60000\)/);
  });
});

async function runProviders(): Promise<ReadonlyMap<string, ConformanceReport>> {
  const reports = new Map<string, ConformanceReport>();
  for (const [name, start] of Object.entries(RIGHT_PROVIDERS)) {
    const { factory, options, stop } = await start();
    try {
      reports.set(name, await runConformance(factory, options));
    } finally {
      await stop();
    }
  }
  return reports;
}

async function runMutants(): Promise<ReadonlyMap<Mutant, ConformanceReport>> {
  const reports = new Map<Mutant, ConformanceReport>();
  for (let first = 0; first < MUTANTS.length; first += AT_A_TIME) {
    const some = MUTANTS.slice(first, first + AT_A_TIME);
    const made = await Promise.all(
      some.map((mutant) => {
        const server = new LeaseServer();
        return runConformance(() => mutant.make(server), {
          seed: 1,
          require: mutant.require && [mutant.require],
        });
      }),
    );
    for (const [index, mutant] of some.entries()) {
      const report = made[index];
      if (report) reports.set(mutant, report);
    }
  }
  return reports;
}
