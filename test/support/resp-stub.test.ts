import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { helloReply, resp } from './resp-replies.js';
import { type StubAnswer, startRespStub } from './resp-stub.js';

const ANSWERS: Record<string, StubAnswer> = {
  HELLO: helloReply('replica'),
  GET: resp.nil,
  SET: resp.error('LOADING Redis is loading the dataset in memory'),
  INCR: resp.integer(7),
  ECHO: resp.simple('hi'),
  SAVE: 'close',
  WAIT: 'hang',
};

test('answers each command as scripted, and keeps what came', async () => {
  await using stub = await startRespStub(([name = '']) => ANSWERS[name.toUpperCase()] ?? 'close');
  const client = new Redis(stub.url, {
    protocol: 2,
    enableReadyCheck: false,
    disableClientInfo: true,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  client.on('error', () => {});
  expect(await client.call('HELLO')).toEqual(expect.arrayContaining(['role', 'replica']));
  expect(await client.get('k')).toBeNull();
  await expect(client.set('k', 'v')).rejects.toThrow('LOADING');
  expect(await client.incr('k')).toBe(7);
  expect(await client.echo('x')).toBe('hi');
  let isSettled = false;
  client
    .wait(1, 0)
    .finally(() => {
      isSettled = true;
    })
    .catch(() => {});
  const other = client.duplicate();
  other.on('error', () => {});
  await expect(other.save()).rejects.toThrow();
  expect(isSettled).toBe(false);
  client.disconnect();
  expect(stub.commands.map(([name]) => name?.toUpperCase())).toEqual(
    Object.keys(ANSWERS).toSorted(byArrival),
  );
});

function byArrival(a: string, b: string): number {
  const order = ['HELLO', 'GET', 'SET', 'INCR', 'ECHO', 'WAIT', 'SAVE'];
  return order.indexOf(a) - order.indexOf(b);
}
