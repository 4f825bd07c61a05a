import { readdirSync, readFileSync, statSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { waitFor } from '../support/wait-for.js';
import { lease } from './lease-cli.js';
import { openRedisSite, type RedisSite } from './lease-site.js';
import { startWatch } from './watch-run.js';

const BIN = new URL('../../bin/mastra-lease.js', import.meta.url).pathname;
const PASSWORD = 'hunter2';

let site: RedisSite;
let folder: TempDir;
let count = 0;

beforeAll(async () => {
  [site, folder] = await Promise.all([openRedisSite(), makeTempDir()]);
  await site.client.call('ACL', 'SETUSER', 'ops', 'on', `>${PASSWORD}`, '~*', '&*', '+@all');
});
beforeEach(() => site.clear());
afterAll(() => Promise.all([site[Symbol.asyncDispose](), folder.remove()]));

const newFile = () => join(folder.path, `recording-${++count}.ndjson`);
const replay = (file: string, ...args: readonly string[]) => lease(['watch', '--replay', file, ...args]);

/** Records an acquire and a release, and stops by this signal; what the stream itself printed. */
async function record(file: string, signal: NodeJS.Signals = 'SIGINT') {
  const { host, port } = site.server;
  await using watch = await startWatch(['--record', file], {
    backend: `redis://ops:${PASSWORD}@${host}:${port}`,
  });
  await site.hold('user-42\0t-1', 'run-a');
  await watch.next({ type: 'acquired' });
  await site.client.del('mastra:topic:lease:user-42\0t-1');
  await watch.next({ type: 'released' });
  await watch.stop(signal);
  return watch.events.filter(({ schema }) => schema === 'mastra-lease/event@1');
}

const linesOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n');

describe('a recording', () => {
  test('is what the stream tells, after a head that says where from, for its owner alone and without a secret', async () => {
    const file = newFile();
    const printed = await record(file);
    const [head, ...events] = linesOf(file).map((line) => JSON.parse(line));
    expect(head).toEqual({
      schema: 'mastra-lease/recording@1',
      version: expect.stringMatching(/^\d+\./),
      startedAt: expect.stringMatching(/Z$/),
      source: expect.objectContaining({ backend: expect.stringContaining(`${site.server.port}`) }),
    });
    expect(events).toEqual(printed);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain(PASSWORD);
  });

  test('prints the same events again, as JSON and as lines, and needs no backend', async () => {
    const file = newFile();
    const printed = await record(file);
    const again = await replay(file, '--json');
    expect(again).toMatchObject({ exitCode: 0, stderr: '' });
    const withoutSource = (events: readonly object[]) =>
      events.map((event) => ({ ...event, source: undefined }));
    expect(withoutSource(again.json())).toEqual(withoutSource(printed));
    const { stdout, stderr } = await replay(file);
    expect(stdout).toMatch(/^[\d:.]{12} {2}acquired {6}user-42 \/ t-1 {2}run-a {2}/m);
    expect(stderr).toMatch(/^recorded from .*Z: redis:\/\/127\.0\.0\.1:\d+/);
  });

  test('can be filtered, and played as fast as it happened', async () => {
    const file = newFile();
    await record(file);
    const types = async (...args: readonly string[]) =>
      (await replay(file, '--json', ...args)).json().map(({ type }) => type);
    expect(await types('other*')).toEqual(['snapshot', 'backend-up']);
    expect(await types('thread:t-1')).toEqual(['snapshot', 'backend-up', 'acquired', 'released']);
    expect(await types('--owner', 'run-a', '--speed', '1')).toEqual([
      'snapshot',
      'backend-up',
      'acquired',
      'released',
    ]);
    const [first, ...others] = linesOf(file);
    await writeFile(
      file,
      [first, ...others.map((line) => line.replace(/"at":"[^"]*"/, '"at":"2026-01-01T00:00:00.000Z"'))].join(
        '\n',
      ),
    );
    await appendFile(
      file,
      `\n${others.at(-1)?.replace(/"at":"[^"]*"/, '"at":"2026-01-01T01:00:00.000Z"')}\n`,
    );
    const { durationMs, stdout } = await replay(file, '--json', '--speed', '3600');
    expect(stdout.trimEnd().split('\n')).toHaveLength(others.length + 1);
    expect(durationMs).toBeGreaterThan(990);
  });

  test('holds every event that was told, when the watch is killed', async () => {
    const file = newFile();
    const printed = await record(file, 'SIGKILL');
    expect((await replay(file, '--json')).json()).toHaveLength(printed.length);
  });

  test('never overwrites a file', async () => {
    const file = newFile();
    await writeFile(file, 'precious');
    const result = await lease(['watch', '--record', file], { backend: site.name });
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toMatch(/Expected a file that can be made after --record.*nothing is overwritten/);
    expect(readFileSync(file, 'utf8')).toBe('precious');
  });

  test('is not left behind empty by a watch that never began', async () => {
    const file = newFile();
    const { host, port } = site.server;
    const args = ['watch', '--record', file, '--backend', `redis://nobody:wrong@${host}:${port}`];
    expect(await lease(args)).toMatchObject({ exitCode: 10 });
    expect(readdirSync(folder.path)).not.toContain(file.split('/').at(-1));
    const missing = await lease(['watch', '--record', join(folder.path, 'no/such/folder')], {
      backend: site.name,
    });
    expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('ENOENT') });
  });

  test('that cannot be written to its end lets the watch go on, and is told at once and at the end', async () => {
    const file = newFile();
    // 512 bytes: the head and the first events, and not many more.
    const command = `ulimit -f 1; exec ${process.execPath} ${BIN} "$@"`;
    await using watch = await startWatch(['--record', file, '--for', '4s'], {
      backend: site.name,
      command: ['/bin/sh', '-c', command, 'sh'],
      env: { NODE_COMPILE_CACHE: undefined, NODE_DISABLE_COMPILE_CACHE: '1' },
    });
    for (let index = 0; index < 20; index += 1) await site.hold(`key-${index}`, 'run-a');
    await waitFor(() => /The recording .* ends early: EFBIG/.test(watch.running.output.stderr), {
      what: 'the warning',
    });
    await site.hold('after', 'run-a');
    await watch.next({ type: 'acquired', key: 'after' });
    const { exitCode, stderr } = await watch.running.done;
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/error The recording .* ends early: EFBIG/);
  });
});

describe('a file that is none, or not all of one', () => {
  test('is shown up to the bad line, which is named', async () => {
    const file = newFile();
    const printed = await record(file);
    const whole = readFileSync(file);
    await writeFile(file, whole.subarray(0, whole.length - 20));
    const cut = await replay(file, '--json');
    expect(cut.exitCode).toBe(2);
    const lines = cut.json();
    expect(lines.slice(0, -1)).toHaveLength(printed.length - 1);
    expect(lines.at(-1)).toMatchObject({
      schema: 'mastra-lease/error@1',
      verb: 'watch',
      exitCode: 2,
      error: { message: expect.stringContaining(`line ${printed.length + 1}: expected`) },
    });
    expect(cut.stderr).toMatch(
      new RegExp(`^error .*${file}, line ${printed.length + 1}: expected a JSON object`),
    );
  });

  test.each([
    ['a listing', '{"schema":"mastra-lease/lease@1","key":"k"}\n'],
    ["another program's file", 'PNG\u0000\u0001\n'],
    ['nothing', ''],
  ])('%s is refused by its first line', async (_, text) => {
    const file = newFile();
    await writeFile(file, text);
    const result = await replay(file);
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(`${file}, line 1: expected`);
  });

  test('a folder is refused', async () => {
    expect(await replay(folder.path)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('EISDIR'),
    });
  });
});
