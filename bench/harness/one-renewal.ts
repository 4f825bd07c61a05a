import { once } from 'node:events';
import { connect } from 'node:net';
import { Redis } from 'ioredis';
import type { Script } from '../../src/providers/redis/script-runner.js';
import { openOurs, openScripts } from './lockers.js';

/** One way to renew a lease. */
export interface Renewal {
  renew(): Promise<unknown>;
  close(): unknown;
}

const OWNER = 'run-1';
const TTL_MS = '60000';

/** The ways to renew one lease, from the least that any program can do to ours. */
export async function openRenewals(url: string) {
  const ours = await openOurs(url);
  const held = await ours.acquire('mine');
  const scripts = await openScripts(url);
  const heldByRedis = await scripts.acquire('theirs');
  const admin = new Redis(url);
  const record = 'mastra:topic:lease:raw';
  await admin.set(record, OWNER);
  const { renew }: { renew: Script } = await import(
    new URL('../../dist/providers/redis/scripts.generated.js', import.meta.url).href
  );
  const command = ['evalsha', renew.sha1, '1', record, OWNER, TTL_MS];
  return {
    raw: await overSocket(url, encode(command)),
    rawWithHello: await overSocket(url, encode(['hello', '2']) + encode(command)),
    redis: { renew: () => heldByRedis.renew(), close: () => scripts.close() },
    ioredis: {
      renew: () => admin.evalsha(renew.sha1, 1, record, OWNER, TTL_MS),
      close: () => admin.disconnect(),
    },
    ours: { renew: () => held.renew(), close: () => ours.close() },
  } satisfies Record<string, Renewal>;
}

/** Sends the same bytes again and again; whatever comes back at once is the answer, and nobody reads it. */
async function overSocket(url: string, bytes: string): Promise<Renewal> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setNoDelay();
  await once(socket, 'connect');
  let answered = (): void => {};
  socket.on('data', () => answered());
  return {
    renew: () =>
      new Promise<void>((resolve) => {
        answered = resolve;
        socket.write(bytes);
      }),
    close: () => socket.destroy(),
  };
}

function encode(command: readonly string[]): string {
  const parts = command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`);
  return `*${command.length}\r\n${parts.join('')}`;
}
