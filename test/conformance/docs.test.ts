import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CLAUSES } from '../../src/conformance/clauses/index.js';
import type { ConformanceReport } from '../../src/conformance/report.js';
import { runConformance } from '../../src/conformance/run-conformance.js';
import { MemoryLeaseProvider } from '../../src/providers/memory.js';
import { RedisLeaseProvider } from '../../src/providers/redis/index.js';
import { generatedPart, withGeneratedPart } from '../support/generated-part.js';
import { startRedis } from '../support/redis-server.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import {
  clausesPart,
  evidencePart,
  mutantCells,
  mutantsPart,
  providersPart,
  timesPart,
} from './documented.js';
import { MUTANTS } from './mutants/index.js';
import { type Mutant, runMutant } from './mutants/mutant.js';
import { startProviderProcess } from './provider-process.js';
import { RIGHT_PROVIDERS } from './providers.js';

const DOCUMENT = fileURLToPath(new URL('../../docs/conformance.md', import.meta.url));
/** `npm run docs:conformance` sets it: then the results are made anew and written. */
const IS_WRITING = process.env.DOCS === 'write';
/** How many mutants are run through all clauses at a time: most of a run is waiting. */
const AT_A_TIME = 6;

if (IS_WRITING) {
  it('npm run docs:conformance writes the results into the document', async () => {
    const times = timesPart(await timeRuns());
    const providers = providersPart(await runProviders());
    const mutants = await runMutants();
    const reportOn = (name: string) => {
      const found = [...mutants].find(([mutant]) => mutant.name === name);
      if (!found) throw new Error(`There is no mutant "${name}"`);
      return found[1];
    };
    const gap = reportOn('transfer: release, then acquire, declared atomic');
    const copy = reportOn('read: from a copy that is written a moment later');
    let document = await readFile(DOCUMENT, 'utf8');
    document = withGeneratedPart(document, 'times', times);
    document = withGeneratedPart(document, 'clauses', clausesPart());
    document = withGeneratedPart(document, 'providers', providers);
    document = withGeneratedPart(document, 'mutants', mutantsPart(mutants));
    document = withGeneratedPart(document, 'gap', evidencePart(gap, 'atomic-transfer'));
    document = withGeneratedPart(document, 'contradiction', evidencePart(copy, 'linearizable'));
    await writeFile(DOCUMENT, document);
  }, 600_000);
}

describe('docs/conformance.md', () => {
  it('tells what each clause means', async () => {
    expect(generatedPart(await readFile(DOCUMENT, 'utf8'), 'clauses')).toBe(clausesPart());
  });

  it('has every mutant, caught by the clause meant for it', async () => {
    const rows = generatedPart(await readFile(DOCUMENT, 'utf8'), 'mutants')
      .split('\n')
      .slice(2);
    expect(rows.map((row) => row.split(' | ').slice(0, 3).join(' | '))).toEqual(
      MUTANTS.map((mutant) => `| ${[...mutantCells(mutant), 'yes'].join(' | ')}`),
    );
  });

  it('has for every clause a mutant that no clause before it catches', async () => {
    const rows = generatedPart(await readFile(DOCUMENT, 'utf8'), 'mutants')
      .split('\n')
      .slice(2);
    const ids = CLAUSES.map(({ id }) => id);
    const first = rows.map((row) => {
      const caughtBy = [...row.matchAll(/`([a-z-]+)`/g)].map(([, id = '']) => ids.indexOf(id));
      return ids[Math.min(...caughtBy)];
    });
    expect(ids.filter((id) => !first.includes(id))).toEqual([]);
  });

  it('has every provider that must conform, conforming', async () => {
    const rows = generatedPart(await readFile(DOCUMENT, 'utf8'), 'providers')
      .split('\n')
      .slice(2);
    expect(rows.map((row) => row.split(' | ').slice(0, 2).join(' | '))).toEqual(
      Object.keys(RIGHT_PROVIDERS).map((name) => `| ${name} | conforms`),
    );
  });

  it('shows the gap of a transfer that releases and then acquires', async () => {
    const gap = generatedPart(await readFile(DOCUMENT, 'utf8'), 'gap');
    expect(gap).toMatch(/\[=+\] +transferLease\("~:atomic-transfer:1", "even", "odd", 60000\)/);
  });
});

async function timeRuns(): Promise<Readonly<Record<string, number>>> {
  const memory = await runConformance(() => new MemoryLeaseProvider());
  const server = await startRedis();
  const proxy = await startTcpProxy(server);
  const onRedis = async (url: string) => {
    const keyPrefix = 'times';
    const { durationMs } = await runConformance(() => new RedisLeaseProvider({ url, keyPrefix }), {
      startProcess: () => startProviderProcess({ kind: 'redis', url, keyPrefix }),
    });
    return durationMs;
  };
  try {
    const here = await onRedis(server.url);
    proxy.setRoundTripMs(100);
    return {
      memory: memory.durationMs,
      'Redis on this machine': here,
      'Redis where each call takes 100 ms': await onRedis(proxy.url),
    };
  } finally {
    await proxy.stop();
    await server.stop();
  }
}

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
    const made = await Promise.all(some.map((mutant) => runMutant(mutant, { seed: 1 })));
    for (const [index, mutant] of some.entries()) {
      const report = made[index];
      if (report) reports.set(mutant, report);
    }
  }
  return reports;
}
