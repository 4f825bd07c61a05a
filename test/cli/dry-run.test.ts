import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lease } from './lease-cli.js';
import { openRedisSite, type RedisSite } from './lease-site.js';

let site: RedisSite;

beforeAll(async () => {
  site = await openRedisSite();
  await site.hold('deploy', 'run-1');
});
afterAll(() => site[Symbol.asyncDispose]());

describe('--dry-run', () => {
  const DRY: readonly (readonly [args: readonly string[], stdout: string, exitCode: number])[] = [
    [['acquire', 'free', '--owner', 'run-1'], 'dry-run acquired\n', 0],
    [['acquire', 'deploy', '--owner', 'run-2'], 'dry-run held-by-other\n', 3],
    [['release', 'deploy', '--owner', 'run-1'], 'dry-run released\n', 0],
    [['release', 'deploy', '--owner', 'run-2'], 'dry-run held-by-other\n', 3],
    [['release', 'deploy', '--force'], 'dry-run released\n', 0],
    [['release', 'free', '--force'], 'dry-run no-lease\n', 4],
    [['renew', 'deploy', '--owner', 'run-1'], 'dry-run renewed\n', 0],
    [['renew', 'deploy', '--force'], 'dry-run renewed\n', 0],
    [['renew', 'free', '--owner', 'run-1'], 'dry-run no-lease\n', 4],
    [['transfer', 'deploy', '--from', 'run-1', '--to', 'run-2'], 'dry-run transferred\n', 0],
    [['transfer', 'deploy', '--force', '--to', 'run-2'], 'dry-run transferred\n', 0],
    [['transfer', 'free', '--from', 'a', '--to', 'b', '--or-acquire'], 'dry-run acquired\n', 0],
  ];

  test('says what would be done, asks nobody, and sends no write', async () => {
    await site.client.config('RESETSTAT');
    const results = await Promise.all(
      DRY.map(([args]) => lease([...args, '--dry-run'], { backend: site.name })),
    );
    for (const [index, { stdout, stderr, exitCode }] of results.entries()) {
      const [args, expectedOutput, expectedCode] = DRY[index] ?? [];
      expect({ args, stdout, exitCode }).toEqual({ args, stdout: expectedOutput, exitCode: expectedCode });
      expect(stderr).toContain('dry run: nothing was sent\n');
      if (exitCode === 0) expect(stderr).toMatch(/\bwould (be|go|no longer be)\b/);
    }
    const statistics = await site.client.info('commandstats');
    expect(statistics).toMatch(/^cmdstat_get:/m);
    expect(statistics).not.toMatch(/^cmdstat_(set|del|pexpire|getdel|unlink|expire|psetex)\b/m);
  });

  test('makes no file where the embedded backend would', async () => {
    const result = await lease(['acquire', 'deploy', '--owner', 'run-1', '--dry-run']);
    expect(result).toMatchObject({ stdout: '', exitCode: 2 });
  });
});
