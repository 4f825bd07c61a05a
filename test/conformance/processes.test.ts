import { fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ProviderProcess } from '../../src/conformance/options.js';
import { openProcess } from '../../src/conformance/process-endpoint.js';
import { runConformance } from '../../src/conformance/run-conformance.js';
import { SqliteLeaseProvider } from '../../src/providers/sqlite/index.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { startProviderProcess } from './provider-process.js';

const DIST = new URL('../../dist/', import.meta.url).href;

async function temporary(): Promise<TempDir> {
  const directory = await makeTempDir();
  onTestFinished(() => directory.remove());
  return directory;
}

/** Starts a process that runs this code, with the kit as `serveLeaseProvider` and our provider on SQLite at hand. */
async function startCode(directory: string, code: string): Promise<ProviderProcess> {
  const file = join(directory, `process-${Math.random().toString(36).slice(2)}.mjs`);
  const imports = `import { serveLeaseProvider } from '${DIST}conformance/index.js';
import { SqliteLeaseProvider } from '${DIST}providers/sqlite/index.js';
const path = ${JSON.stringify(join(directory, 'leases.db'))};
`;
  await writeFile(file, imports + code);
  const child = fork(file, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

const SERVE = 'await serveLeaseProvider(() => new SqliteLeaseProvider({ path }));';

it('other processes take part in the races and the random runs', async () => {
  const { path } = await temporary();
  const file = join(path, 'leases.db');
  const { conforms, processes, clauses } = await runConformance(
    () => new SqliteLeaseProvider({ path: file }),
    {
      startProcess: () => startProviderProcess({ kind: 'sqlite', path: file }),
      clauses: ['one-winner-across-processes', 'linearizable'],
      runs: 5,
    },
  );
  expect({ conforms, processes }).toEqual({ conforms: true, processes: 2 });
  expect(clauses.map(({ note }) => note)).toEqual([
    expect.stringMatching(/^\d+ rounds of 48 callers in 3 processes$/),
    expect.stringMatching(/^5 runs, 320 calls of 4 clients at 4 places, seed \d+$/),
  ]);
});

it('a lock that holds in one process only is caught across processes', async () => {
  const { path } = await temporary();
  // Its own callers take turns; it reads, and writes a little later.
  const wrong = `
class OneProcessOnly extends SqliteLeaseProvider {
  #turn = Promise.resolve();
  acquireLease(key, owner, ttlMs) {
    const answer = this.#turn.then(async () => {
      const holder = await this.getLeaseOwner(key);
      if (holder !== undefined && holder !== owner) return { acquired: false, owner: holder };
      await new Promise((resolve) => setTimeout(resolve, 5));
      const now = await this.getLeaseOwner(key);
      if (now !== undefined) await super.releaseLease(key, now);
      await super.acquireLease(key, owner, ttlMs);
      return { acquired: true, owner };
    });
    this.#turn = answer.catch(() => {});
    return answer;
  }
}
await serveLeaseProvider(() => new OneProcessOnly({ path }));`;
  const { clauses } = await runConformance(() => new SqliteLeaseProvider({ path: join(path, 'leases.db') }), {
    startProcess: () => startCode(path, wrong),
    clauses: ['one-winner-across-processes'],
  });
  expect(clauses.map(({ id, result }) => [id, result])).toEqual([['one-winner-across-processes', 'failed']]);
  const [clause] = clauses;
  expect(clause?.evidence?.calls.map(({ client }) => client).join()).toContain(' in process ');
});

it('a factory of one instance has another process for the second', async () => {
  const { path } = await temporary();
  const leases = new SqliteLeaseProvider({ path: join(path, 'leases.db') });
  const { clauses } = await runConformance(() => leases, {
    startProcess: () => startCode(path, SERVE),
    clauses: ['two-instances'],
  });
  expect(clauses).toMatchObject([{ result: 'passed', note: 'instance 1 and process 1' }]);
});

it('a process that does not share the leases is caught', async () => {
  const { path } = await temporary();
  const leases = new SqliteLeaseProvider({ path: join(path, 'leases.db') });
  const { clauses } = await runConformance(() => leases, {
    startProcess: () =>
      startCode(path, "await serveLeaseProvider(() => new SqliteLeaseProvider({ path: path + '-2' }));"),
    clauses: ['two-instances'],
  });
  expect(clauses).toMatchObject([{ result: 'failed' }]);
});

it('a call of another process lies between what bounds it here', async () => {
  const { path } = await temporary();
  const offsetMs = 1_000_000;
  const nowMs = () => performance.now() + offsetMs;
  const endpoint = await openProcess(await startCode(path, SERVE), 1, nowMs);
  const beforeMs = nowMs();
  const calls = await endpoint.run([
    {
      client: 'c',
      steps: [
        { method: 'acquireLease', args: ['k', 'a', 1_000] },
        { method: 'getLeaseOwner', args: ['k'], restMs: 20 },
      ],
    },
  ]);
  const afterMs = nowMs();
  expect(calls.map(({ answer }) => answer)).toEqual([{ acquired: true, owner: 'a' }, 'a']);
  const [first, second] = calls;
  if (!first || !second) throw new Error('Two calls were made');
  expect(second.startMs - first.endMs).toBeGreaterThan(10);
  // A call is given a little more room than it took: what the clocks may differ by.
  expect(first.startMs).toBeGreaterThan(beforeMs - 20);
  expect(second.endMs).toBeLessThan(afterMs + 20);
  expect(calls.map(({ client, place }) => [client, place])).toEqual([
    ['c in process 1', 1],
    ['c in process 1', 1],
  ]);
  endpoint.stop();
});

it('a process that ends before it was told to is no verdict', async () => {
  const { path } = await temporary();
  const running = runConformance(() => new SqliteLeaseProvider({ path: join(path, 'leases.db') }), {
    startProcess: () => startCode(path, 'process.exit(3);'),
    clauses: ['one-winner-across-processes'],
  });
  await expect(running).rejects.toMatchObject({
    code: 'ERR_LEASE_INVALID_CONFIG',
    message: expect.stringMatching(/^Process \d of the run ended \(with 3\) before it was told to$/),
  });
});
