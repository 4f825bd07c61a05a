import { spawn } from 'node:child_process';
import { chmod, readdir, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildOneFile } from '../../scripts/one-file/build.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';

let program: string;
let redis: RedisServer;
let folder: TempDir;

beforeAll(async () => {
  program = await readFile(await buildOneFile(), 'utf8');
  redis = await startRedis();
  const client = await redis.client();
  await client.set('mastra:topic:lease:user-42\0t-1', 'run-1', 'PX', 60_000);
  folder = await makeTempDir();
  await chmod(folder.path, 0o555);
});

afterAll(async () => {
  await redis.stop();
  await folder.remove();
});

interface Place {
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
  /** Flags of Node. */
  readonly flags?: readonly string[];
}

/** Runs it as `kubectl exec -i` would: from a pipe, in a bare environment, in a folder that nothing can be written to. */
async function fromPipe(args: readonly string[], { env = {}, uid, flags = [] }: Place = {}) {
  const child = spawn(process.execPath, [...flags, '--input-type=module', '-', ...args], {
    cwd: folder.path,
    env: { MASTRA_LEASE_BACKEND: redis.url, ...env },
    ...(uid !== undefined && { uid, gid: uid }),
  });
  child.stdin.on('error', () => {});
  child.stdin.end(program);
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { stdout, stderr, exitCode };
}

describe('mastra-lease as one file, from a pipe', () => {
  it('needs no package and no file', () => {
    const { importedFiles } = ts.preProcessFile(program, true, true);
    const names = importedFiles.map(({ fileName }) => fileName.replace(/^node:/, ''));
    expect(names.filter((name) => !isBuiltin(name))).toEqual([]);
  });

  it('tells the owner, with the exit code of the answer', async () => {
    expect(await fromPipe(['owner', '--thread', 't-1'])).toMatchObject({ stdout: 'run-1\n', exitCode: 0 });
    expect(await fromPipe(['owner', 'nobody'])).toMatchObject({ stdout: '', exitCode: 4 });
    expect(await fromPipe(['owner'])).toMatchObject({ stdout: '', exitCode: 2 });
  });

  it('writes leases, lists them and follows them', async () => {
    const owner = ['--owner', 'me'];
    expect(await fromPipe(['acquire', 'k', ...owner, '--ttl', '20s'])).toMatchObject({ exitCode: 0 });
    expect(await fromPipe(['acquire', 'k', '--owner', 'you'])).toMatchObject({ exitCode: 3 });
    const listed = await fromPipe(['list', '--json']);
    expect(listed.stdout.split('\n')[0]).toContain('"schema":"mastra-lease/lease@1"');
    expect(listed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"total":2') });
    expect(await fromPipe(['wait', 'k', '--until', 'held'])).toMatchObject({ exitCode: 0 });
    expect(await fromPipe(['release', 'k', ...owner])).toMatchObject({ exitCode: 0 });
  });

  it('runs where it may write to nothing at all', async () => {
    const readOnly = {
      flags: ['--permission', '--allow-fs-read=*', ...(isNetGuarded() ? ['--allow-net'] : [])],
    };
    const { stdout, exitCode } = await fromPipe(['owner', '--thread', 't-1', '--json'], readOnly);
    expect({ exitCode, owner: JSON.parse(stdout).owner }).toEqual({ exitCode: 0, owner: 'run-1' });
    const check = await fromPipe(['check', '--json'], readOnly);
    expect(JSON.parse(check.stdout)).toMatchObject({ exitCode: 0, server: { role: 'primary' } });
    expect(await readdir(folder.path)).toEqual([]);
  });

  it.runIf(process.getuid?.() === 0)('runs as a user that has no name, no home and no folder', async () => {
    const nobody = { uid: 1_000_690_000 };
    const { stdout, exitCode } = await fromPipe(['inspect', '--thread', 't-1', '--json'], nobody);
    expect({ exitCode, owner: JSON.parse(stdout).owner }).toEqual({ exitCode: 0, owner: 'run-1' });
    const acquired = await fromPipe(['acquire', 'mine', '--ttl', '20s'], nobody);
    expect(acquired).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('uid-1000690000@') });
  });

  it.each([
    [
      'a module',
      { MASTRA_LEASE_BACKEND: join(import.meta.dirname, '../fixtures/class/leases.ts') },
      ['owner', 'k'],
      /cannot load an application — .*redis:/,
    ],
    ['the demo', {}, ['demo'], /cannot start the processes of the demo — .*npx mastra-lease/],
  ])('says in one line that %s is left out, and what to do', async (_, env, args, message) => {
    const { stdout, stderr, exitCode } = await fromPipe(args, { env });
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toMatch(/^error [^\n]+\n$/);
    expect(stderr).toMatch(message);
  });
});

/** Whether `--permission` of this Node forbids connections too. */
function isNetGuarded(): boolean {
  return process.allowedNodeEnvironmentFlags.has('--allow-net');
}
