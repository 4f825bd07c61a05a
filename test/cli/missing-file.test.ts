import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeTempDir } from '../support/temp-dir.js';
import { lease } from './lease-cli.js';

describe('a file of leases that is not there', () => {
  test.each([
    ['owner', 'deploy'],
    ['release', 'deploy', '--owner', 'job-1'],
    ['renew', 'deploy', '--owner', 'job-1'],
    ['transfer', 'deploy', '--from', 'job-1', '--to', 'job-2'],
  ])('is no answer to %s, and none is made: a mistyped path is no all-clear', async (...args) => {
    await using folder = await makeTempDir();
    const path = join(folder.path, 'leases.db');
    const run = await lease(args, { backend: `sqlite:${path}` });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(`Found no lease database at ${path}`);
    expect(existsSync(path)).toBe(false);
  });

  test.each([
    ['acquire', 'deploy', '--owner', 'job-1'],
    ['transfer', 'deploy', '--from', 'job-1', '--to', 'job-2', '--or-acquire'],
  ])('is made by %s, which takes a lease there', async (...args) => {
    await using folder = await makeTempDir();
    const path = join(folder.path, 'leases.db');
    expect(await lease(args, { backend: `sqlite:${path}` })).toMatchObject({ exitCode: 0 });
    expect(existsSync(path)).toBe(true);
  });
});
