import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { lease } from '../cli/lease-cli.js';
import { openRedisSite, openSqliteSite } from '../cli/lease-site.js';
import { findFreePort } from '../support/free-port.js';
import { BIN, runCli } from '../support/run-cli.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { waitFor } from '../support/wait-for.js';

const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));
const TRAIN = `${EXAMPLES}ci/release-train.sh`;
/** What GitHub makes of the workflow's expression. */
const OWNER = 'acme/app/123.1';

vi.setConfig({ testTimeout: 70_000 });

let folder: TempDir;

beforeAll(async () => {
  folder = await makeTempDir();
  const npx = join(folder.path, 'npx');
  await writeFile(npx, `#!/bin/sh\nshift\nexec '${process.execPath}' '${BIN}' "$@"\n`);
  await chmod(npx, 0o755);
});
afterAll(() => folder.remove());

test.concurrent('custom-backend proves by its own test that it keeps the contract', async () => {
  const command = [process.execPath, '--test', `${EXAMPLES}custom-backend/sql-leases.test.ts`] as const;
  const { exitCode, stdout } = await runCli([], { command, timeoutMs: 110_000 });
  expect(exitCode, stdout).toBe(0);
  expect(stdout).toMatch(/pass 4\d\n/);
  expect(stdout).toMatch(/fail 0\n.*skipped 0\n/s);
}, 120_000);

test.concurrent('custom-backend is what the command line takes it for', async () => {
  const backend = `${EXAMPLES}custom-backend/sql-leases.ts`;
  const checked = await lease(['check', '--json'], { backend, cwd: folder.path });
  expect(checked.json()).toMatchObject([
    { provider: { class: 'SqlLeases', scope: 'host', atomicTransfer: true } },
  ]);
});

test.concurrent('agent ends with one line and 1 where there is no Redis', async () => {
  const url = `redis://127.0.0.1:${await findFreePort()}`;
  const command = [process.execPath, `${EXAMPLES}agent/run.ts`] as const;
  const { exitCode, stderr } = await runCli([], { command, env: { REDIS_URL: url }, timeoutMs: 30_000 });
  expect({ exitCode, lines: stderr.trim().split('\n') }).toEqual({
    exitCode: 1,
    lines: [expect.stringContaining(url)],
  });
}, 40_000);

describe.each([
  ['Redis', openRedisSite],
  ['SQLite', openSqliteSite],
] as const)('ci on %s', (_, open) => {
  const options = (backend: string, more: Readonly<Record<string, string>> = {}) => ({
    backend,
    cwd: folder.path,
    command: ['/bin/sh', TRAIN] as const,
    timeoutMs: 60_000,
    env: { PATH: `${folder.path}${delimiter}${process.env.PATH}`, OWNER, CI: '1', ...more },
  });

  test.concurrent('two jobs go on under one lease, and a second run does not get in between', async () => {
    await using site = await open();
    const who = 'npx mastra-lease owner release-train';
    const first = lease(['all'], options(site.name, { BUILD: who, DEPLOY: who }));
    await waitFor(() => site.read('release-train'), { deadlineMs: 15_000, what: 'the first run to begin' });
    const second = lease(['all'], options(site.name, { OWNER: 'acme/app/124.1' }));
    expect(await first).toMatchObject({
      exitCode: 0,
      stdout: `${OWNER}/build\n${OWNER}/build\ntransferred\n${OWNER}/deploy\n`,
    });
    expect(await second).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/\nbuilt\n.*\ndeployed\n$/s),
    });
    expect(await site.heldKeys()).toEqual([]);
  });

  test.concurrent('a job that fails gives the lease back, and ends with its own code', async () => {
    await using site = await open();
    for (const failing of ['BUILD', 'DEPLOY'])
      expect(await lease(['all'], options(site.name, { [failing]: 'exit 6' }))).toMatchObject({
        exitCode: 6,
      });
    expect(await lease(['build'], options(site.name))).toMatchObject({ exitCode: 0 });
    expect((await site.read('release-train'))?.owner).toBe(`${OWNER}/deploy`);
    expect(await lease(['give-back'], options(site.name))).toMatchObject({ exitCode: 0 });
    expect(await site.heldKeys()).toEqual([]);
  });
});

test('the workflow runs the jobs of the script, with what the script needs', async () => {
  const workflow = await readFile(`${EXAMPLES}ci/release-train.yml`, 'utf8');
  const jobs = [...workflow.matchAll(/release-train\.sh (\S+)/g)].map(([, job]) => job);
  expect(jobs).toEqual(['build', 'give-back', 'deploy', 'give-back']);
});
