import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { writeHistory } from '../redis/thread-events.js';
import { findFreePort } from '../support/free-port.js';
import type { CliResult } from '../support/run-cli.js';
import { waitFor } from '../support/wait-for.js';
import { lease, startLease } from './lease-cli.js';
import { openRedisSite, type RedisSite } from './lease-site.js';
import { openShell, type Shell } from './shell.js';

const PAGE = fileURLToPath(new URL('../../docs/ci.md', import.meta.url));

let site: RedisSite;
let shell: Shell;
let recipes: ReadonlyMap<string, string>;
const run = new Set<string>();

beforeAll(async () => {
  site = await openRedisSite();
  shell = await openShell();
  recipes = readRecipes(await readFile(PAGE, 'utf8'));
  await shell.add('build.sh', 'echo built');
  await shell.add('deploy.sh', `mastra-lease list -q; echo "deployed to $1"; exit "\${DEPLOY_CODE:-0}"`);
});
afterEach(() => site.clear());
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await shell[Symbol.asyncDispose]();
});

function readRecipes(page: string): ReadonlyMap<string, string> {
  const found = [...page.matchAll(/<!-- recipe: (\S+) -->\n```\w+\n(.*?)```/gs)];
  expect(found).toHaveLength(page.match(/^```\w+$/gm)?.length ?? 0);
  return new Map(found.map(([, name = '', text = '']) => [name, text]));
}

function recipe(name: string): string {
  run.add(name);
  const text = recipes.get(name);
  if (text === undefined) throw new Error(`There is no recipe ${name}`);
  return text;
}

function options(more: Readonly<Record<string, string>> = {}, interpreter = 'sh') {
  return {
    backend: site.name,
    cwd: shell.path,
    command: [`/bin/${interpreter}`, '-c'],
    env: { PATH: shell.searchPath, RUN: '7', CI: '1', ...more },
    timeoutMs: 18_000,
  } as const;
}

function runRecipe(
  name: string,
  more: Readonly<Record<string, string>> = {},
  interpreter = 'sh',
): Promise<CliResult> {
  return lease([recipe(name)], options(more, interpreter));
}

async function deadBackend(): Promise<Readonly<Record<string, string>>> {
  return { MASTRA_LEASE_BACKEND: `redis://127.0.0.1:${await findFreePort()}` };
}

test('one deploy at a time: the lease is held meanwhile, waited for, and the code passed through', async () => {
  await site.hold('deploy', 'job-9', 500);
  const { stdout, exitCode } = await runRecipe('serialise', { DEPLOY_CODE: '6' });
  expect(stdout).toMatch(/\tdeploy\t[^\t]+:[0-9a-f]{8}\t.*\ndeployed to production\n$/);
  expect({ exitCode, held: await site.heldKeys() }).toEqual({ exitCode: 6, held: [] });
});

test('the failures of the lease are told from those of the command', async () => {
  expect(await runRecipe('serialise-codes')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/\ndeployed\n$/),
  });
  expect(await runRecipe('serialise-codes', { DEPLOY_CODE: '3' })).toMatchObject({
    exitCode: 3,
    stdout: expect.stringMatching(/\ndeploy\.sh failed with 3\n$/),
  });
  const shortened = recipe('serialise-codes').replace('--wait 10m', '--wait 200ms');
  const dead = await lease([shortened], options(await deadBackend()));
  expect(dead).toMatchObject({
    exitCode: 99,
    stdout: expect.stringMatching(/^not deployed, or stopped half-way/),
  });
});

test('cleanup in a trap: given back after success, failure and a signal', async () => {
  expect(await runRecipe('trap')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^built\n.*deployed/s),
  });
  expect(await site.heldKeys()).toEqual([]);
  expect(await runRecipe('trap', { DEPLOY_CODE: '3' })).toMatchObject({ exitCode: 3 });
  expect(await site.heldKeys()).toEqual([]);
  await using running = await startLease(
    [`${recipe('trap')}\necho waiting; sleep 0.2; kill -TERM $$; sleep 60`],
    options(),
  );
  expect(await running.done.then(({ exitCode }) => exitCode)).toBe(143);
  expect(await site.heldKeys()).toEqual([]);
});

test('work of unknown length: held until the script ends, and only then begun when it is held', async () => {
  await site.hold('report', 'job-9', 500);
  expect(await runRecipe('keep')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('deployed'),
  });
  await waitFor(async () => (await site.heldKeys()).length === 0, { what: 'the lease to be given back' });
  expect(await runRecipe('keep', { DEPLOY_CODE: '3' })).toMatchObject({ exitCode: 3 });
  await waitFor(async () => (await site.heldKeys()).length === 0, { what: 'the lease to be given back' });
});

test('a hand-over: the key is never free in between, and free at the end', async () => {
  expect(await runRecipe('hand-over')).toMatchObject({ exitCode: 0 });
  expect(await site.read('release-train')).toMatchObject({ owner: 'deploy-7' });
  expect(await runRecipe('take-over')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('deployed'),
  });
  expect(await site.heldKeys()).toEqual([]);
});

test('a drain waits until every thread that was held is free, and shows what is not at its end', async () => {
  expect(await runRecipe('drain')).toMatchObject({ exitCode: 0, stdout: 'nothing is held\n' });
  await site.hold('user-42\0t-1', 'run-1', 2_000);
  await site.hold('user-42\0t-2', 'run-2', 3_000);
  await site.hold('deploy', 'job-9');
  expect(await runRecipe('drain')).toMatchObject({ exitCode: 0, stdout: 'met\n' });
  expect(await site.heldKeys()).toEqual(['deploy']);
  expect((await runRecipe('drain', await deadBackend())).exitCode).toBe(7);
  await site.hold('user-42\0t-3', 'run-3');
  const shortened = recipe('drain').replace('--timeout 10m', '--timeout 200ms');
  const late = await lease([shortened], options());
  expect(late).toMatchObject({
    exitCode: 6,
    stdout: expect.stringMatching(/^timed-out\n.*\tuser-42\\\\?0t-3\t/s),
  });
});

test('a drain of one process waits for its own leases alone', async () => {
  await site.hold('user-42\0t-1', 'run-1', 2_000);
  await site.hold('user-42\0t-2', 'run-2', 60_000);
  for (const [thread, run, process] of [
    ['t-1', 'run-1', 'pod-a'],
    ['t-2', 'run-2', 'pod-b'],
  ] as const) {
    const registered = { type: 'run-registered', runId: run, sourceId: process };
    await writeHistory(site.client, `user-42\0${thread}`, [[1_000, registered]]);
  }
  expect(await runRecipe('drain-one', { PROCESS: 'pod-a' })).toMatchObject({ exitCode: 0, stdout: 'met\n' });
  expect(await site.read('user-42\0t-2')).toMatchObject({ owner: 'run-2' });
  expect(await runRecipe('drain-one', { PROCESS: 'pod-c' })).toMatchObject({ exitCode: 0, stdout: '' });
});

test.each(['serialise', 'trap', 'keep', 'hand-over', 'take-over', 'drain-one', 'killed'])(
  '%s ends with 7, and does nothing, when the backend is down',
  async (name) => {
    const shortened = recipe(name).replaceAll(/--(wait|timeout) 10m/g, '--$1 200ms');
    const dead = await lease([shortened], options(await deadBackend()));
    expect(dead).toMatchObject({ exitCode: 7, stdout: '' });
  },
);

test('keep ends with the code of what failed, also when its lease has ended before that', async () => {
  const held = /mastra-lease acquire report .*&/;
  const ended = recipe('keep')
    .replace(held, 'true &')
    .replace('mastra-lease wait report --until "owner=$owner" --timeout 10m', 'sleep 0.2; (exit 7)');
  expect(recipe('keep')).toMatch(held);
  expect(await lease([ended], options())).toMatchObject({ exitCode: 7 });
});

test.runIf(process.platform === 'linux')('a command is told when exec is killed', async () => {
  await shell.add(
    'orphan.sh',
    'trap "echo told; exit" TERM; kill -KILL $PPID; for turn in $(seq 150); do sleep 0.1; done',
  );
  const { stdout } = await lease([recipe('killed').replace('deploy.sh', 'orphan.sh')], options());
  expect(stdout).toBe('told\n');
  expect(await site.heldKeys()).toEqual(['deploy']);
});

test('GitHub Actions: every step of both jobs, and the one after a failure', async () => {
  const workflow = recipe('actions')
    .replaceAll(/\$\{\{ github\.repository \}\}/g, 'acme/app')
    .replaceAll(/\$\{\{ github\.run_id \}\}/g, '123')
    .replaceAll(/\$\{\{ github\.run_attempt \}\}/g, '1');
  const owner = /^ {2}OWNER: (.*)$/m.exec(workflow)?.[1] ?? '';
  expect(owner).toBe('acme/app/123.1');
  const steps = [...workflow.matchAll(/^ +(?:- )?run: (.*)$/gm)].map(([, step = '']) => step);
  const onFailure = steps.filter((step) => step.includes('release release-train'));
  const inOrder = steps.filter((step) => !onFailure.includes(step));
  expect([inOrder.length, onFailure.length]).toEqual([4, 1]);
  const step = (text: string) => lease([`set -eo pipefail; ${text}`], options({ OWNER: owner }, 'bash'));
  expect((await step(inOrder[0] ?? '')).exitCode).toBe(0);
  expect((await step(onFailure[0] ?? '')).exitCode).toBe(0);
  expect(await site.heldKeys()).toEqual([]);
  for (const text of inOrder) expect((await step(text)).exitCode).toBe(0);
  expect(await site.heldKeys()).toEqual([]);
});

test('set -e and an answer that is no failure', async () => {
  expect(await runRecipe('pitfall-set-e')).toMatchObject({ exitCode: 0, stdout: 'free\n' });
  await site.hold('deploy', 'job-9');
  expect(await runRecipe('pitfall-set-e')).toMatchObject({ exitCode: 0, stdout: 'held by job-9\n' });
  expect(await runRecipe('pitfall-set-e', await deadBackend())).toMatchObject({ exitCode: 7, stdout: '' });
});

test('|| and what nobody knows', async () => {
  expect(await runRecipe('pitfall-or')).toMatchObject({ exitCode: 0, stdout: 'job-7\nours\n' });
  await site.hold('deploy', 'job-9');
  expect(await runRecipe('pitfall-or')).toMatchObject({ exitCode: 0, stdout: 'busy\n' });
  expect(await runRecipe('pitfall-or', await deadBackend())).toMatchObject({
    exitCode: 7,
    stdout: 'cannot tell (7)\n',
  });
});

test('tee and the code that it hides', async () => {
  expect(await runRecipe('pitfall-tee', { DEPLOY_CODE: '5' }, 'bash')).toMatchObject({ exitCode: 5 });
  expect(await readFile(join(shell.path, 'deploy.log'), 'utf8')).toContain('deployed to production');
  const without = recipe('pitfall-tee').replace('set -euo pipefail', '');
  expect((await lease([without], options({ DEPLOY_CODE: '5' }, 'bash'))).exitCode).toBe(0);
});

test('no recipe of the page is left out', () => {
  expect([...run].sort()).toEqual([...recipes.keys()].sort());
});
