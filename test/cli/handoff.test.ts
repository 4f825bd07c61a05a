import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CliResult } from '../support/run-cli.js';
import { keys, startTerminal } from '../support/terminal.js';
import { waitFor } from '../support/wait-for.js';
import { lease as runLease, startLease } from './lease-cli.js';
import { openRedisSite, openSqliteSite, type RedisSite } from './lease-site.js';

const THREAD = 'user-42\0t-1';
const NAME = ['--resource', 'user-42', '--thread', 't-1'];
const STREAM = `mastra:topic:agent.thread-stream.${encodeURIComponent(THREAD)}`;
const FORCE = ['--force', '--yes'];
const NOT_SEEN = 'no event of this thread is here: whether its run is at work was not seen';

let site: RedisSite;

beforeAll(async () => {
  site = await openRedisSite();
});
afterAll(() => site[Symbol.asyncDispose]());
beforeEach(() => site.clear());

function lease(...args: readonly string[]): Promise<CliResult> {
  return runLease(args, { backend: site.name });
}

/** An event of the thread, as the runtime publishes it, so many milliseconds old. */
async function publish(type: string, ageMs: number, runId = 'run-1'): Promise<void> {
  const event = { type, runId, data: { runId, sourceId: 'pod-1' }, id: 'e', createdAt: new Date() };
  const id = `${Date.now() - ageMs}-*`;
  await site.client.xadd(STREAM, id, 'event', JSON.stringify(event));
}

describe('a forced write on a thread whose run is at work', () => {
  beforeEach(async () => {
    await site.hold(THREAD, 'run-1');
    await publish('run-registered', 8_000);
    await publish('stream-part', 4_000);
  });

  test.each([
    ['release', []],
    ['transfer', ['--to', 'run-2']],
  ])(
    '%s is refused with 3, before anybody is asked, naming the age of its last event',
    async (verb, more) => {
      const refused = await lease(verb, ...NAME, ...FORCE, ...more);
      expect(refused).toMatchObject({ exitCode: 3, stdout: 'active\n' });
      expect(refused.stderr).toMatch(
        /^active: thread t-1 · resource user-42 is run-1's, and is not known to be quiet: its run's last event is \d\.\d s old \(stream-part\)$/m,
      );
      expect(refused.stderr).toContain('--even-if-active');
      expect(refused.stderr).not.toContain('holder:');
      expect(await site.read(THREAD)).toMatchObject({ owner: 'run-1' });
    },
  );

  test('is told as JSON with the age and the kind of the last event', async () => {
    const [json] = (await lease('release', ...NAME, ...FORCE, '--json')).json();
    expect(json).toMatchObject({
      status: 'active',
      owner: 'run-1',
      work: { sign: 'event', type: 'stream-part', isEnded: false, ageMs: expect.any(Number) },
      exitCode: 3,
    });
  });

  test('is done with --even-if-active, or when it was quiet for --if-quiet-for', async () => {
    expect(await lease('transfer', ...NAME, ...FORCE, '--to', 'run-2', '--even-if-active')).toMatchObject({
      exitCode: 0,
    });
    expect(await lease('release', ...NAME, ...FORCE, '--if-quiet-for', '3s')).toMatchObject({
      exitCode: 0,
      stdout: 'released\n',
    });
  });

  test('is refused where the owner is named too, when --if-quiet-for asks for it', async () => {
    const named = ['release', ...NAME, '--owner', 'run-1'];
    expect(await lease(...named, '--if-quiet-for', '1m')).toMatchObject({ exitCode: 3, stdout: 'active\n' });
    expect(await lease(...named)).toMatchObject({ exitCode: 0, stdout: 'released\n' });
  });

  test('leaves out only that key of a bulk, and a dry run says the same', async () => {
    await site.hold('user-7\0t-7', 'run-7');
    const keys = ['user-42\\0t-1', 'user-7\\0t-7', ...FORCE];
    const rows = ['user-42\\0t-1\tactive', 'user-7\\0t-7\treleased'];
    const dry = await lease('release', ...keys, '--dry-run');
    expect(dry.exitCode).toBe(3);
    expect(rowsOf(dry)).toEqual(['user-42\\0t-1\tdry-run active', 'user-7\\0t-7\tdry-run released']);
    const done = await lease('release', ...keys);
    expect(done.exitCode).toBe(3);
    expect(rowsOf(done)).toEqual(rows);
    expect(await site.read(THREAD)).toMatchObject({ owner: 'run-1' });
    expect(await site.read('user-7\0t-7')).toBeUndefined();
  });
});

describe('a forced write on a thread that cannot be seen to be quiet is refused', () => {
  const refused = { exitCode: 3, stdout: 'active\n' };

  beforeEach(() => site.hold(THREAD, 'run-1'));

  test('when messages that others sent stand after the last event of its run', async () => {
    await publish('stream-part', 2_000);
    for (let n = 0; n < 250; n += 1) await publish('signal-enqueued', 1_000 - n);
    expect(await lease('release', ...NAME, ...FORCE)).toMatchObject(refused);
  });

  test('when its newest entries are no events that can be read', async () => {
    await publish('stream-part', 60_000);
    await site.client.xadd(STREAM, '*', 'event', '{"type":7}');
    const release = await lease('release', ...NAME, ...FORCE);
    expect(release).toMatchObject(refused);
    expect(release.stderr).toContain('no event that can be read');
  });

  test('when what is kept of its events reaches back less than that', async () => {
    await publish('stream-part', 3_000);
    for (let n = 0; n < 30; n += 1) await publish('signal-enqueued', 2_000 - n);
    await site.client.xtrim(STREAM, 'MAXLEN', 20);
    const release = await lease('release', ...NAME, ...FORCE);
    expect(release).toMatchObject(refused);
    expect(release.stderr).toContain('what is kept of its events reaches back only');
  });

  test('when its run ended just now, and is not to be aborted', async () => {
    await publish('run-completed', 1_000);
    const release = await lease('release', ...NAME, ...FORCE);
    expect(release).toMatchObject(refused);
    expect(release.stderr).toContain('wait a little');
  });

  test('when its run went to work again while the question stood', async () => {
    await publish('stream-part', 60_000);
    const env = { MASTRA_LEASE_BACKEND: site.name };
    await using terminal = await startTerminal(['release', ...NAME, '--force'], { env, columns: 200 });
    await terminal.waitForScreen(/release this lease/);
    await publish('stream-part', 0);
    await sleep(1_100);
    terminal.type(`y${keys.enter}`);
    expect(await terminal.end()).toBe(3);
    expect(await site.read(THREAD)).toMatchObject({ owner: 'run-1' });
  });
});

describe('a forced write on a thread that is quiet', () => {
  test('is done: messages that others send it are no sign of its run', async () => {
    await site.hold(THREAD, 'run-1');
    await publish('run-registered', 90_000);
    await publish('stream-part', 40_000);
    await publish('signal-enqueued', 1_000);
    expect(await lease('release', ...NAME, ...FORCE)).toMatchObject({ exitCode: 0, stdout: 'released\n' });
  });

  test('is done where no stream is, and on a backend that has none', async () => {
    await site.hold(THREAD, 'run-1');
    const released = await lease('release', ...NAME, ...FORCE);
    expect(released).toMatchObject({ exitCode: 0 });
    expect(released.stderr).toContain(NOT_SEEN);
    await using sqlite = await openSqliteSite();
    await sqlite.hold(THREAD, 'run-1');
    const transfer = ['transfer', ...NAME, ...FORCE, '--to', 'run-2'];
    const would = await runLease([...transfer, '--dry-run', '--json'], { backend: sqlite.name });
    expect(would.json()[0]?.cautions).toContain(NOT_SEEN);
    const moved = await runLease(transfer, { backend: sqlite.name });
    expect(moved).toMatchObject({ exitCode: 0 });
    expect(moved.stderr).toContain(NOT_SEEN);
  });

  test.each(['release', 'transfer'])(
    '%s is not done where quiet was asked for and nothing is there to see it by',
    async (verb) => {
      await using sqlite = await openSqliteSite();
      const more = verb === 'transfer' ? ['--to', 'run-2'] : [];
      for (const where of [site, sqlite]) {
        await where.hold(THREAD, 'run-1');
        const refused = await runLease([verb, ...NAME, ...FORCE, ...more, '--if-quiet-for', '5m'], {
          backend: where.name,
        });
        expect(refused).toMatchObject({ exitCode: 9, stdout: '' });
        expect(refused.stderr).toMatch(
          /^error Whether the run of user-42\\0t-1 is at work cannot be seen: no events? .* here — ask its process, and then without --if-quiet-for$/m,
        );
        expect(await where.read(THREAD)).toMatchObject({ owner: 'run-1' });
      }
    },
  );

  test('and a key that is no thread has no run to be quiet', async () => {
    await site.hold('deploy', 'ci-1');
    expect(await lease('release', 'deploy', ...FORCE, '--if-quiet-for', '5m')).toMatchObject({ exitCode: 0 });
  });

  test('is refused with 10 where its events may not be read, unless --even-if-active', async () => {
    await site.hold(THREAD, 'run-1');
    await site.client.acl(
      'SETUSER',
      'writer',
      'on',
      '>pw',
      '~mastra:topic:lease:*',
      '+get',
      '+pttl',
      '+eval',
      '+del',
      '+hello',
    );
    const asWriter = site.name.replace('redis://', 'redis://writer:pw@');
    const release = ['release', ...NAME, ...FORCE];
    const refused = await runLease(release, { backend: asWriter });
    expect(refused).toMatchObject({ exitCode: 10, stdout: '' });
    expect(refused.stderr).toContain('--even-if-active');
    expect(await site.read(THREAD)).toMatchObject({ owner: 'run-1' });
    expect(await runLease([...release, '--even-if-active'], { backend: asWriter })).toMatchObject({
      exitCode: 0,
    });
  });
});

describe('--verify', () => {
  const RENEWED_OFTEN = { MASTRA_AGENT_THREAD_LEASE_TTL_MS: '1500' };

  test('tells with 3 that the old owner is back after a third of the lease time', async () => {
    await site.hold(THREAD, 'run-1');
    const release = ['release', ...NAME, '--owner', 'run-1', '--verify'];
    await using running = await startLease(release, { backend: site.name, env: RENEWED_OFTEN });
    await waitFor(async () => (await site.read(THREAD)) === undefined, {
      deadlineMs: 10_000,
      what: 'the release',
    });
    await site.hold(THREAD, 'run-1');
    const { exitCode, stdout, stderr } = await running.done;
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: 'released\n' });
    expect(stderr).toMatch(
      /^caution: 1\.0 s later run-1 has it again and is still renewing: its run lives$/m,
    );
  });

  test('tells who has it, or that nobody does, and ends with 0', async () => {
    await site.hold(THREAD, 'run-1');
    const moved = await runLease(
      ['transfer', ...NAME, '--from', 'run-1', '--to', 'run-2', '--ttl', '1m', '--verify', '--json'],
      { backend: site.name, env: RENEWED_OFTEN },
    );
    expect(moved.exitCode).toBe(0);
    expect(moved.json()).toMatchObject([
      { status: 'transferred', later: { isBack: false, owner: 'run-2', afterMs: 1_000 } },
    ]);
    const released = await runLease(['release', ...NAME, '--owner', 'run-2', '--verify'], {
      backend: site.name,
      env: RENEWED_OFTEN,
    });
    expect(released).toMatchObject({ exitCode: 0, stdout: 'released\n' });
    expect(released.stderr).toMatch(/^1\.0 s later nobody holds it$/m);
  });

  test('waits for nothing where nothing was taken', async () => {
    const released = await lease('release', ...NAME, '--owner', 'run-1', '--verify');
    expect(released).toMatchObject({ exitCode: 4, stdout: 'no-lease\n' });
    expect(released.stderr).not.toContain('looking again');
  });
});

describe('contradictory guards', () => {
  test.each([
    [
      ['--force', '--yes', '--if-quiet-for', '5s', '--even-if-active'],
      'Expected --if-quiet-for or --even-if-active, got both',
    ],
    [['--owner', 'run-1', '--even-if-active'], 'Expected --force with --even-if-active'],
    [['--force', '--yes', '--if-quiet-for', '5'], 'Expected --if-quiet-for with a unit'],
  ])('%j end with 2 and nothing is sent', async (guards, message) => {
    await site.hold(THREAD, 'run-1');
    const refused = await lease('release', ...NAME, ...guards);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain(message);
    expect(await site.read(THREAD)).toMatchObject({ owner: 'run-1' });
  });
});

function rowsOf({ stdout }: CliResult): readonly string[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((row) => row.split('\t').slice(0, 2).join('\t'));
}
