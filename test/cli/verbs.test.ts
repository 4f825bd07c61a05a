import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lease } from './lease-cli.js';
import { type LeaseSite, openRedisSite, openSqliteSite } from './lease-site.js';
import { VERB_ROWS } from './verb-rows.js';

describe.each([
  ['Redis', openRedisSite],
  ['SQLite', openSqliteSite],
] as const)('on %s', (_, open) => {
  let site: LeaseSite;

  beforeAll(async () => {
    site = await open();
  });
  beforeEach(() => site.clear());
  afterAll(() => site[Symbol.asyncDispose]());

  test.each(VERB_ROWS)(
    '$situation ends with $exitCode',
    async ({ held = {}, args, exitCode, stdout, stderr, after }) => {
      for (const [key, owner] of Object.entries(held)) await site.hold(key, owner);
      const result = await lease(args, { backend: site.name });
      expect({ stdout: maskLeft(result.stdout), exitCode: result.exitCode }).toEqual({ stdout, exitCode });
      expectInOrder(result.stderr, [...stderr, `${site.source} · MASTRA_LEASE_BACKEND\n`]);
      expect(await holders(site)).toEqual(after ?? held);
    },
  );

  test('an owner that was not named is unique, and printed, so that it can be named later', async () => {
    const options = { backend: site.name };
    const [first, second] = [await lease(['acquire', 'a'], options), await lease(['acquire', 'b'], options)];
    for (const { stdout } of [first, second]) expect(stdout).toMatch(/^\S+@\S+:\d+:[0-9a-f]{8}\n$/);
    expect(first.stdout).not.toBe(second.stdout);
    const owner = first.stdout.trim();
    expect(await lease(['release', 'a', '--owner', owner], options)).toMatchObject({ exitCode: 0 });
  });

  test('MASTRA_LEASE_OWNER is who acquires, renews and releases', async () => {
    const options = { backend: site.name, env: { MASTRA_LEASE_OWNER: 'job-7' } };
    for (const verb of ['acquire', 'renew', 'release']) {
      expect(await lease([verb, 'deploy'], options)).toMatchObject({ exitCode: 0 });
    }
    expect(await holders(site)).toEqual({});
  });

  test('the TTL is the flag, then the runtime’s variable, then 15 s', async () => {
    const options = { backend: site.name, env: { MASTRA_AGENT_THREAD_LEASE_TTL_MS: '90000' } };
    await lease(['acquire', 'flag', '--ttl', '5m'], options);
    await lease(['acquire', 'variable'], options);
    await lease(['acquire', 'default'], { backend: site.name });
    for (const [key, ttlMs] of [
      ['flag', 300_000],
      ['variable', 90_000],
      ['default', 15_000],
    ] as const) {
      const leftMs = (await site.read(key))?.leftMs;
      expect(leftMs).toBeLessThanOrEqual(ttlMs);
      expect(leftMs).toBeGreaterThan(ttlMs - 14_000);
    }
  });

  test('--quiet leaves the answer, and says nothing else', async () => {
    await site.hold('deploy', 'run-1');
    const quiet = (args: readonly string[]) => lease([...args, '-q'], { backend: site.name });
    expect(await quiet(['owner', 'deploy'])).toMatchObject({ stdout: 'run-1\n', stderr: '', exitCode: 0 });
    expect(await quiet(['owner', 'free'])).toMatchObject({ stdout: '', stderr: '', exitCode: 4 });
    expect(await quiet(['release', 'deploy', '--owner', 'x'])).toMatchObject({
      stdout: 'held-by-other\n',
      stderr: '',
      exitCode: 3,
    });
  });
});

function maskLeft(stdout: string): string {
  return stdout.replace(/\t\d+(\t|\n)/g, '\tMS$1');
}

async function holders(site: LeaseSite): Promise<Record<string, string | undefined>> {
  const keys = await site.heldKeys();
  return Object.fromEntries(
    await Promise.all(keys.map(async (key) => [key, (await site.read(key))?.owner] as const)),
  );
}

function expectInOrder(text: string, parts: readonly string[]): void {
  let from = 0;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    expect(at, `${JSON.stringify(part)} in ${JSON.stringify(text)}`).toBeGreaterThanOrEqual(0);
    from = at + part.length;
  }
}
