import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RedisCluster, startCluster } from './redis-server.js';

let cluster: RedisCluster;

beforeAll(async () => {
  cluster = await startCluster();
});

afterAll(() => cluster.stop());

test('a node that does not own the slot answers MOVED with the owner', async () => {
  const owner = await cluster.ownerOf('k');
  const stranger = await (await cluster.strangerTo('k')).client();
  await expect(stranger.get('k')).rejects.toThrow(new RegExp(`^MOVED \\d+ 127\\.0\\.0\\.1:${owner.port}$`));
  expect(await (await owner.client()).set('k', 'v')).toBe('OK');
});

test('a slot on its way answers ASK for a key that has left, and MOVED at the end', async () => {
  const key = '{move}\0a';
  const [from, to] = [await cluster.ownerOf(key), await cluster.strangerTo(key)];
  const [source, target] = [await from.client(), await to.client()];
  await source.set(key, 'v');
  const move = await cluster.beginSlotMove(key, to);
  expect(await source.get(key)).toBe('v');
  expect(await move.moveKeys()).toBe(1);
  await expect(source.get(key)).rejects.toThrow(`ASK ${move.slot} 127.0.0.1:${to.port}`);
  await move.finish();
  await expect(source.get(key)).rejects.toThrow(`MOVED ${move.slot} 127.0.0.1:${to.port}`);
  expect(await target.get(key)).toBe('v');
  expect(await cluster.ownerOf(key)).toBe(to);
});
