import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CliResult } from '../support/run-cli.js';
import type { TempDir } from '../support/temp-dir.js';
import { makePackage } from './application-folder.js';
import { lease } from './lease-cli.js';

const WRITES = {
  acquire: ['acquire', 'k', '--owner', 'run-1'],
  release: ['release', 'k', '--owner', 'run-1'],
  renew: ['renew', 'k', '--owner', 'run-1'],
  transfer: ['transfer', 'k', '--from', 'run-1', '--to', 'run-2'],
} as const;
const OWNER = ['owner', 'k'];

const TIMEOUT_MS = 800;

/**
 * Providers as somebody else may write them: each over one lease, `k` of `run-1`, with what is written here instead of a
 * method.
 */
const MODULES = {
  good: '',
  silent:
    'acquireLease: never, getLeaseOwner: never, releaseLease: never, renewLease: never, transferLease: never',
  'silent-writes': 'acquireLease: never, releaseLease: never, renewLease: never, transferLease: never',
  'bare-acquire': 'acquireLease: async () => true',
  'bare-renew': 'renewLease: async () => undefined',
  'null-owner': 'getLeaseOwner: async () => null',
  'lazy-release': 'releaseLease: async () => {}',
  'yes-man':
    'getLeaseOwner: async () => undefined, acquireLease: async (key, owner) => ({ acquired: true, owner })',
  refused: `getLeaseOwner: refuse, renewLease: refuse`,
  leaky: `renewLease: async () => { throw new Error('redis://user:hunter2@cache:6379 has gone\\nredis://user:hunter2@cache') }`,
  'blind-afterwards':
    'acquireLease: async (key, owner) => { owners.set(key, owner); isBlind = true; return { acquired: true, owner } }',
  'own-inspector':
    'readLease: async (key) => owners.has(key) ? { key, owner: owners.get(key), remainingMs: 12_345 } : undefined, async *listLeases() { for (const [key, owner] of owners) yield { key, owner, remainingMs: 12_345 } }',
  'stuck-inspector':
    'readLease: never, listLeases: () => ({ [Symbol.asyncIterator]: () => ({ next: never }) })',
} as const;

function sourceOf(instead: string): string {
  return `
    const owners = new Map([['k', 'run-1']]);
    let isBlind = false;
    const never = () => new Promise(() => {});
    const refuse = async () => { throw Object.assign(new Error('connect ECONNREFUSED 10.0.0.5:6379'), { code: 'ECONNREFUSED' }) };
    export const pubsub = {
      async acquireLease(key, owner) {
        const holder = owners.get(key) ?? owner;
        owners.set(key, holder);
        return { acquired: holder === owner, owner: holder };
      },
      async getLeaseOwner(key) { return isBlind ? never() : owners.get(key); },
      async releaseLease(key, owner) { if (owners.get(key) === owner) owners.delete(key); },
      async renewLease(key, owner) { return owners.get(key) === owner; },
      async transferLease(key, from, to) { return owners.get(key) === from && Boolean(owners.set(key, to)); },
      ${instead}
    };`;
}

let folder: TempDir;
beforeAll(async () => {
  const files = Object.entries(MODULES).map(([name, instead]) => [`${name}.mjs`, sourceOf(instead)]);
  folder = await makePackage(Object.fromEntries(files));
});
afterAll(() => folder.remove());

function run(module: keyof typeof MODULES, args: readonly string[]): Promise<CliResult> {
  const common = ['--backend', `./${module}.mjs`, '--timeout', `${TIMEOUT_MS}ms`];
  return lease([...args, ...common], { cwd: folder.path });
}

function expectError(result: CliResult, exitCode: number, message: string | RegExp): void {
  expect(result.stderr).toMatch(message);
  expect(result).toMatchObject({ exitCode, stdout: '' });
  expect(result.stderr.match(/^error /gm)).toHaveLength(1);
}

test('one that keeps the contract answers, without a time left, which nothing tells', async () => {
  const [owner, ...writes] = await Promise.all([
    run('good', OWNER),
    run('good', ['acquire', 'free', '--owner', 'job-1']),
    run('good', WRITES.acquire),
    run('good', WRITES.release),
    run('good', WRITES.renew),
    run('good', WRITES.transfer),
    run('good', ['acquire', 'k', '--owner', 'run-9']),
    run('good', ['release', 'k', '--owner', 'run-9']),
    run('good', ['release', 'none', '--owner', 'run-9']),
  ]);
  expect(owner).toMatchObject({ stdout: 'run-1\n', exitCode: 0 });
  expect(writes.map(({ stdout, exitCode }) => [stdout.trim(), exitCode])).toEqual([
    ['job-1', 0],
    ['run-1', 0],
    ['released', 0],
    ['renewed', 0],
    ['transferred', 0],
    ['', 3],
    ['held-by-other', 3],
    ['no-lease', 4],
  ]);
  expect(writes[0]?.stderr).toContain("free is job-1's for a time that cannot be read");
});

test('"free" from one that nothing else can be asked about says so, in text and in JSON', async () => {
  const note = /only Object itself says so: nothing else could be asked whether it looks where/;
  const [text, json, held, verified] = await Promise.all([
    run('good', ['owner', 'none']),
    run('good', ['owner', 'none', '--json']),
    run('good', OWNER),
    run('own-inspector', ['owner', 'none']),
  ]);
  expect([text.exitCode, json.exitCode, verified.exitCode]).toEqual([4, 4, 4]);
  expect(text.stderr).toMatch(note);
  expect(json.json()[0]).toMatchObject({ status: 'free', notes: [expect.stringMatching(note)] });
  for (const { stderr } of [held, verified]) expect(stderr).not.toMatch(note);
});

describe('one that never answers', () => {
  test('is given up within --timeout: a read is 7, and a write that was never sent too', async () => {
    const [owner, acquire, release, check] = await Promise.all([
      run('silent', OWNER),
      run('silent', WRITES.acquire),
      run('silent', WRITES.release),
      run('silent', ['check']),
    ]);
    for (const result of [owner, acquire, release]) {
      expectError(result, 7, 'getLeaseOwner of Object: it did not answer in time; nothing was changed');
    }
    expect(check.exitCode).toBe(7);
    expect(check.stdout).toMatch(/^answers +call 1 failed$/m);
  });

  test('to a write leaves its outcome unknown: 8', async () => {
    const results = await Promise.all(
      Object.entries(WRITES).map(async ([verb, args]) => [verb, await run('silent-writes', args)] as const),
    );
    for (const [verb, result] of results) {
      expectError(
        result,
        8,
        `${verb}Lease of Object: it did not answer in time; the write may have happened`,
      );
    }
  });

  test('costs no more than --timeout and a second', async () => {
    const plain = await Promise.all(Object.values(WRITES).map((args) => run('good', args)));
    const late = await Promise.all(Object.values(WRITES).map((args) => run('silent', args)));
    const startMs = Math.max(...plain.map(({ durationMs }) => durationMs));
    for (const { durationMs } of late) expect(durationMs - startMs).toBeLessThan(TIMEOUT_MS + 1_000);
  });
});

test.each([
  ['bare-acquire', WRITES.acquire, /from acquireLease of Object, got true; the write may have happened/],
  ['bare-renew', WRITES.renew, /Expected a boolean from renewLease of Object, got undefined/],
  ['null-owner', OWNER, /Expected a string or undefined from getLeaseOwner of Object, got null/],
] as const)(
  'one that answers what the contract has not is named, with what came back: %s',
  async (module, args, message) => {
    expectError(await run(module, args), 9, message);
  },
);

test.each([
  ['lazy-release', WRITES.release, /releaseLease answered nothing, and its owner still holds the lease/],
  ['yes-man', WRITES.acquire, /acquireLease answered acquired, and nobody holds the lease/],
] as const)(
  'one whose answer is not what is seen afterwards is not believed: %s',
  async (module, args, message) => {
    expectError(await run(module, args), 9, message);
  },
);

test('a write that was answered and cannot be read back is unknown, never "nothing was changed"', async () => {
  const result = await run('blind-afterwards', ['acquire', 'free', '--owner', 'job-1']);
  expectError(result, 8, 'acquireLease was answered, and could not be read back');
});

test('one that was not reached changed nothing', async () => {
  for (const result of await Promise.all([run('refused', OWNER), run('refused', WRITES.renew)])) {
    expectError(result, 7, /it failed: connect ECONNREFUSED 10\.0\.0\.5:6379; nothing was changed/);
  }
});

test('no password of what it throws is printed', async () => {
  const [text, json] = await Promise.all([
    run('leaky', WRITES.renew),
    run('leaky', [...WRITES.renew, '--json']),
  ]);
  expectError(text, 8, 'redis://…@cache:6379 has gone; the write may have happened');
  expect(json.json()).toMatchObject([{ exitCode: 8, error: { code: 'ERR_LEASE_OUTCOME_UNKNOWN' } }]);
  for (const { stdout, stderr } of [text, json]) expect(stdout + stderr).not.toContain('hunter2');
});

describe('one that lists by itself', () => {
  test('is believed, with what it says is left', async () => {
    const [list, owner] = await Promise.all([
      run('own-inspector', ['list', '--json']),
      run('own-inspector', [...OWNER, '--json']),
    ]);
    expect(list.json()).toMatchObject([
      { key: 'k', owner: 'run-1', remainingMs: 12_345 },
      { complete: true, total: 1, exitCode: 0 },
    ]);
    expect(owner.json()).toMatchObject([{ owner: 'run-1', remainingMs: 12_345 }]);
  });

  test('and never gets on with it is given up, and its leases are still named by the contract', async () => {
    const [list, owner] = await Promise.all([
      run('stuck-inspector', ['list']),
      run('stuck-inspector', OWNER),
    ]);
    expectError(list, 7, 'listLeases of Object: it did not answer in time');
    expect(owner).toMatchObject({ stdout: 'run-1\n', exitCode: 0 });
  });
});
