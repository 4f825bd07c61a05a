import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findFreePort } from '../support/free-port.js';
import { startReplicaPair } from '../support/redis-replication.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { lease, startLease } from './lease-cli.js';
import { openRedisSite, openSqliteSite, type RedisSite, recordOf } from './lease-site.js';

let site: RedisSite;

beforeAll(async () => {
  site = await openRedisSite();
});
afterEach(() => site.clear());
afterAll(() => site[Symbol.asyncDispose]());

function wait(args: readonly string[], backend = site.name) {
  return lease(['wait', ...args], { backend });
}

describe('--timeout 0 looks once', () => {
  test.each([
    ['free', 'deploy', 6],
    ['free', 'other', 0],
    ['held', 'deploy', 0],
    ['held', 'other', 6],
    ['owner=job-1', 'deploy', 0],
    ['owner=job-2', 'deploy', 6],
    ['owner=job-1', 'other', 6],
    ['changed', 'deploy', 6],
  ])('--until %s for %s: %d', async (until, key, exitCode) => {
    await site.hold('deploy', 'job-1');
    const result = await wait([key, '--until', until, '--timeout', '0']);
    expect(result).toMatchObject({ exitCode, stdout: exitCode === 0 ? 'met\n' : 'timed-out\n' });
    expect(result.stderr).toMatch(
      key === 'deploy' ? /^held: deploy is job-1's \(59/ : /^free: nobody holds other/,
    );
  });

  test('and a backend that cannot be reached is never taken for free', async () => {
    const dead = `redis://127.0.0.1:${await findFreePort()}`;
    for (const until of ['free', 'held', 'changed']) {
      expect(await wait(['deploy', '--until', until, '--timeout', '0'], dead)).toMatchObject({
        exitCode: 7,
        stdout: '',
      });
    }
  });
});

describe('waits until', () => {
  async function during(args: readonly string[], change: () => Promise<unknown>) {
    await using proxy = await startTcpProxy(site.server);
    await using running = await startLease(['wait', ...args, '--timeout', '15s'], {
      backend: proxy.url,
      timeoutMs: 18_000,
    });
    await waitFor(() => proxy.commands.length > 1, { what: 'a look' });
    await waitFor(() => proxy.openConnections > 0);
    await change();
    return await running.done;
  }

  test('a key is given back', async () => {
    await site.hold('deploy', 'job-1');
    expect(await during(['deploy', '--until', 'free'], () => site.clear())).toMatchObject({
      exitCode: 0,
      stdout: 'met\n',
    });
  });

  test('a key that does not exist yet is held', async () => {
    const result = await during(['deploy', '--until', 'held'], () => site.hold('deploy', 'job-1'));
    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.stderr).toMatch(/^held: deploy is job-1's/);
  });

  test('a certain owner holds it', async () => {
    await site.hold('deploy', 'job-1');
    expect(
      await during(['deploy', '--until', 'owner=job-2'], () => site.hold('deploy', 'job-2')),
    ).toMatchObject({ exitCode: 0 });
  });

  test('every one of several keys is free', async () => {
    await site.hold('one', 'job-1', 400);
    await site.hold('two', 'job-2', 900);
    const result = await wait(['one', 'two', 'three', '--until', 'free', '--json']);
    expect(result.exitCode).toBe(0);
    expect(result.json()).toMatchObject([
      {
        verb: 'wait',
        status: 'met',
        until: 'free',
        keys: [{ key: 'one', status: 'free' }, { key: 'two' }, { key: 'three' }],
      },
    ]);
    expect(await site.heldKeys()).toEqual([]);
  });

  test('a thread that is held under its own key is free', async () => {
    await site.hold('user-42\0t-1', 'run-1', 3_000);
    const result = await wait(['thread:t-1', '--until', 'free']);
    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.stderr).toContain('free: nobody holds thread t-1 · resource user-42');
  });
});

test('an expiry is counted down', async () => {
  await site.hold('deploy', 'job-1', 600);
  const { exitCode, durationMs } = await wait(['deploy', '--until', 'free']);
  expect(exitCode).toBe(0);
  expect(durationMs).toBeLessThan(10_000);
});

test('an owner that changes is seen as changed, and a renewal is not', async () => {
  await site.hold('deploy', 'job-1');
  await using running = await startLease(['wait', 'deploy', '--until', 'changed'], {
    backend: site.name,
    timeoutMs: 15_000,
  });
  await expect(waitFor(() => running.child.exitCode !== null, { deadlineMs: 800 })).rejects.toThrow();
  await site.hold('deploy', 'job-1');
  await expect(waitFor(() => running.child.exitCode !== null, { deadlineMs: 1_300 })).rejects.toThrow();
  await site.hold('deploy', 'job-2');
  expect(await running.done).toMatchObject({ exitCode: 0 });
});

test('a backend that is away is ridden out, and ends with 7 when it is away at the end', async () => {
  await using proxy = await startTcpProxy(site.server);
  await site.hold('deploy', 'job-1');
  await using running = await startLease(['wait', 'deploy', '--until', 'free', '--timeout', '15s'], {
    backend: proxy.url,
    timeoutMs: 18_000,
  });
  await waitFor(() => proxy.commands.length > 1, { what: 'a look' });
  proxy.refuseNew();
  proxy.cut();
  const away = wait(['deploy', '--until', 'free', '--timeout', '700ms'], proxy.url);
  expect(await away).toMatchObject({ exitCode: 7, stdout: '' });
  await proxy.acceptNew();
  await site.clear();
  expect(await running.done).toMatchObject({ exitCode: 0 });
});

test('the same on a file of the host', async () => {
  await using file = await openSqliteSite();
  await file.hold('deploy', 'job-1', 3_000);
  expect(await wait(['deploy', '--until', 'free', '--timeout', '100ms'], file.name)).toMatchObject({
    exitCode: 6,
  });
  expect(await wait(['deploy', '--until', 'free'], file.name)).toMatchObject({ exitCode: 0 });
});

describe('is refused with 2', () => {
  test.each([
    ['no condition', ['deploy'], 'Expected --until'],
    [
      'an unknown condition',
      ['deploy', '--until', 'gone'],
      'Expected --until free, held, owner=ID or changed, got "gone"',
    ],
    ['an owner without a name', ['deploy', '--until', 'owner='], 'Expected an owner after'],
    ['no key', ['--until', 'free'], 'Expected a key'],
    [
      'a timeout without a unit',
      ['deploy', '--until', 'free', '--timeout', '30'],
      'Expected --timeout with a unit',
    ],
    [
      'a thread that nobody holds, to be held',
      ['thread:t-9', '--until', 'held', '--timeout', '0'],
      'which key to wait at is not known',
    ],
    [
      'the same by its id',
      ['--thread', 't-9', '--until', 'held', '--timeout', '0'],
      'which key to wait at is not known',
    ],
  ])('%s', async (_, args, message) => {
    const { exitCode, stdout, stderr } = await wait(args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

test('a thread with its resource can be waited for before anyone holds it', async () => {
  await using running = await startLease(
    ['wait', '--resource', 'user-42', '--thread', 't-1', '--until', 'held'],
    { backend: site.name, timeoutMs: 15_000 },
  );
  await expect(waitFor(() => running.child.exitCode !== null, { deadlineMs: 400 })).rejects.toThrow();
  await site.hold('user-42\0t-1', 'run-1');
  expect(await running.done).toMatchObject({ exitCode: 0 });
});

test('a replica is never believed, and its refusal says what to do, as for every other verb', async () => {
  await using pair = await startReplicaPair();
  const client = await pair.primary.client();
  await client.set(recordOf('deploy'), 'job-1', 'PX', 60_000);
  await pair.sync();
  const remedy = 'connect to the primary, or by redis+sentinel://';
  const refusal =
    /^error connected to a replica, .*: it cannot tell that a lease is free, nor change one — (.*)\n$/;
  const text = await wait(['deploy', '--until', 'free', '--timeout', '1s'], pair.replica.url);
  expect(text).toMatchObject({ exitCode: 7, stdout: '' });
  expect(refusal.exec(text.stderr)?.[1]).toBe(remedy);
  const json = await wait(['deploy', '--until', 'free', '--timeout', '1s', '--json'], pair.replica.url);
  expect(json.json()).toMatchObject([{ exitCode: 7, error: { code: 'ERR_LEASE_UNREACHABLE', remedy } }]);
});
