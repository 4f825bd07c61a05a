import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { lease, startLease } from './lease-cli.js';
import { openRedisSite, type RedisSite } from './lease-site.js';

interface Write {
  readonly verb: string;
  readonly args: readonly string[];
  /** Whether `run-1` holds `deploy` before. */
  readonly isHeld: boolean;
  readonly status: string;
  /** Who holds it when the write was done. */
  readonly holder: string | undefined;
}

const TTL = ['--ttl', '5m'];
const WRITES: readonly Write[] = [
  {
    verb: 'acquire',
    args: ['deploy', '--owner', 'run-1', ...TTL],
    isHeld: false,
    status: 'acquired',
    holder: 'run-1',
  },
  {
    verb: 'renew',
    args: ['deploy', '--owner', 'run-1', ...TTL],
    isHeld: true,
    status: 'renewed',
    holder: 'run-1',
  },
  {
    verb: 'transfer',
    args: ['deploy', '--from', 'run-1', '--to', 'run-2', ...TTL],
    isHeld: true,
    status: 'transferred',
    holder: 'run-2',
  },
  {
    verb: 'release',
    args: ['deploy', '--owner', 'run-1'],
    isHeld: true,
    status: 'released',
    holder: undefined,
  },
];

describe('a write whose answer is lost', () => {
  let site: RedisSite;

  beforeAll(async () => {
    site = await openRedisSite();
  });
  beforeEach(() => site.clear());
  afterAll(() => site[Symbol.asyncDispose]());

  test.each(WRITES)(
    '$verb is settled by reading back, once',
    async ({ verb, args, isHeld, status, holder }) => {
      await using proxy = await startTcpProxy(site.server);
      if (isHeld) await site.hold('deploy', 'run-1');
      const dropped = proxy.dropNextReply({ command: 'EVAL' });
      const result = await lease([verb, ...args, '--json'], { backend: proxy.url });
      await dropped;
      expect(result.json()).toEqual([expect.objectContaining({ verb, status, readBack: true, exitCode: 0 })]);
      expect(result.exitCode).toBe(0);
      expect((await site.read('deploy'))?.owner).toBe(holder);
      expect(proxy.commands.map(([name]) => name?.toUpperCase())).toEqual(['HELLO', 'EVAL', 'HELLO', 'EVAL']);
    },
  );

  test.each(WRITES)('$verb says in words that it was read back', async ({ verb, args, isHeld }) => {
    await using proxy = await startTcpProxy(site.server);
    if (isHeld) await site.hold('deploy', 'run-1');
    void proxy.dropNextReply({ command: 'EVAL' });
    const { stderr, exitCode } = await lease([verb, ...args], { backend: proxy.url });
    expect(stderr).toContain('the answer to the write was lost; this was seen on reading back\n');
    expect(exitCode).toBe(0);
  });

  test.each(WRITES)(
    '$verb that was sent and not seen may still arrive: 8',
    async ({ verb, args, isHeld }) => {
      await using proxy = await startTcpProxy(site.server);
      if (isHeld) await site.hold('deploy', 'run-1');
      const cut = proxy.cutBeforeForward({ command: 'EVAL' });
      const result = await lease([verb, ...args], { backend: proxy.url });
      await cut;
      expect(result).toMatchObject({ exitCode: 8, stdout: '' });
      expect(result.stderr).toMatch(
        /^error .* was sent to .* no answer came .* it may have happened — read the lease/m,
      );
      expect((await site.read('deploy'))?.owner).toBe(isHeld ? 'run-1' : undefined);
    },
  );

  test('is 8 where nothing can be read back, though it happened', async () => {
    await using proxy = await startTcpProxy(site.server);
    const dropped = proxy.dropNextReply({ command: 'EVAL', outcome: 'hang' });
    const running = startLease(['acquire', 'deploy', '--owner', 'run-1', '--timeout', '1500ms'], {
      backend: proxy.url,
    });
    await dropped;
    proxy.refuseNew();
    proxy.cut();
    await using started = await running;
    expect(await started.done).toMatchObject({ exitCode: 8, stdout: '' });
    expect((await site.read('deploy'))?.owner).toBe('run-1');
  });

  test('acquire without --owner tells the owner that it made, since nothing else does', async () => {
    await using proxy = await startTcpProxy(site.server);
    const dropped = proxy.dropNextReply({ command: 'EVAL', outcome: 'hang' });
    const running = startLease(['acquire', 'deploy', '--timeout', '1500ms', '--json'], {
      backend: proxy.url,
    });
    await dropped;
    proxy.refuseNew();
    proxy.cut();
    await using started = await running;
    const result = await started.done;
    const held = await site.read('deploy');
    expect(result.exitCode).toBe(8);
    for (const text of [result.stdout, result.stderr])
      expect(text).toContain(`if it was acquired, ${held?.owner} is its owner`);
  });

  test('acquire is not settled by a lease that the owner held before', async () => {
    await using proxy = await startTcpProxy(site.server);
    await site.hold('deploy', 'run-1', 20_000);
    void proxy.cutBeforeForward({ command: 'EVAL' });
    const result = await lease(['acquire', 'deploy', '--owner', 'run-1', '--ttl', '5m'], {
      backend: proxy.url,
    });
    expect(result).toMatchObject({ exitCode: 8, stdout: '' });
  });
});
