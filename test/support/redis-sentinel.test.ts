import { expect, test } from 'vitest';
import { startSentinel } from './redis-server.js';

test('a failover that was asked for makes the replica the primary, and the old one lives on', async () => {
  await using group = await startSentinel({ password: 'secret' });
  const [old, next] = [group.primary, group.replica];
  expect(group.url).toBe(`redis+sentinel://:secret@127.0.0.1:${group.sentinels[0]?.port}/mymaster`);
  await group.failover();
  expect([group.primary, group.replica]).toEqual([next, old]);
  expect(await (await next.client()).set('k', 'v')).toBe('OK');
  expect(old.isRunning).toBe(true);
});

test('a majority of three sentinels replaces a primary that died', async () => {
  await using group = await startSentinel({ sentinels: 3 });
  const next = group.replica;
  await group.failover('kill');
  expect(group.primary).toBe(next);
  expect(group.replica.isRunning).toBe(false);
});
