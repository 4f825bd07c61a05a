import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { clausesOf } from '../../src/conformance/conformance-run.js';
import { describeLeaseProvider } from '../../src/conformance/describe-lease-provider.js';
import { MemoryLeaseProvider } from '../../src/providers/memory.js';
import { makeTempDir } from '../support/temp-dir.js';
import { CorrectLeases, LeaseServer } from './mutants/correct-leases.js';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

/** A runner that collects what is declared. */
function collect() {
  const tests = new Map<string, (context?: unknown) => Promise<void>>();
  const names: string[] = [];
  const ends: (() => Promise<void>)[] = [];
  const runner = {
    describe: (name: string, body: () => void) => {
      names.push(name);
      body();
    },
    it: (name: string, test: (context?: unknown) => Promise<void>) => void tests.set(name, test),
    afterAll: (end: () => Promise<void>) => void ends.push(end),
  };
  const run = (id: string, context?: unknown) =>
    [...tests].find(([name]) => name.startsWith(`${id}: `))?.[1](context) ??
    Promise.reject(new Error(`No ${id}`));
  return { runner, names, tests, ends, run };
}

it('declares a test for each clause, and one that is violated fails with the calls that show it', async () => {
  class Forgetful extends CorrectLeases {
    override async renewLease(): Promise<boolean> {
      return false;
    }
  }
  const server = new LeaseServer();
  const { runner, names, tests, ends, run } = collect();
  describeLeaseProvider('mine', () => new Forgetful(server), { runner, level: 'contract' });
  expect(names).toEqual(['mine keeps the lease contract']);
  expect([...tests.keys()]).toEqual(clausesOf('contract').map(({ id, sentence }) => `${id}: ${sentence}`));
  await expect(run('refusal')).resolves.toBeUndefined();
  await expect(run('renew-by-owner')).rejects.toThrow(
    /^renew-by-owner: expected true for a, who holds the key\n.*\n.*acquireLease\(.*\n.*renewLease\("~:renew-by-owner:1", "a", 60000\) → false$/,
  );
  for (const end of ends) await end();
  expect(server.keys.filter((key) => server.find(key))).toEqual([]);
});

it('declares no test for what is known not to apply, and skips what turns out not to', async () => {
  const known = collect();
  describeLeaseProvider('mine', () => new MemoryLeaseProvider(), { runner: known.runner, scope: 'process' });
  expect([...known.tests.keys()].join()).not.toMatch(/two-instances|across-processes/);

  const found = collect();
  describeLeaseProvider('mine', () => new MemoryLeaseProvider(), { runner: found.runner });
  const skips: unknown[] = [];
  await found.run('two-instances', { skip: (note: unknown) => void skips.push(note) });
  expect(skips).toEqual(['the leases live in one process']);
  for (const end of found.ends) await end();
});

it('says what it needs where there is no test runner', () => {
  expect(() => describeLeaseProvider('mine', () => new MemoryLeaseProvider())).toThrow(
    'Expected a test runner: pass { runner: { describe, it } }, or make its describe and it global',
  );
});

it('runs under node:test, as the package is installed', async () => {
  await using directory = await makeTempDir();
  const modules = join(directory.path, 'node_modules');
  await mkdir(modules);
  await symlink(REPOSITORY, join(modules, 'mastra-lease'));
  const file = join(directory.path, 'leases.test.mjs');
  await writeFile(
    file,
    `import { after, describe, it } from 'node:test';
import { MemoryLeaseProvider } from 'mastra-lease/memory';
import { describeLeaseProvider } from 'mastra-lease/testing';

describeLeaseProvider('memory', () => new MemoryLeaseProvider(), {
  runner: { describe, it, afterAll: after },
  level: 'structural',
});
`,
  );
  const child = spawn(process.execPath, ['--test', '--test-reporter=tap', file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  const [exitCode] = await once(child, 'close');
  expect(output).toContain('# pass 3');
  expect({ exitCode, failed: /# fail (\d+)/.exec(output)?.[1] }).toEqual({ exitCode: 0, failed: '0' });
});
