import { randomUUID } from 'node:crypto';
import { connect as connectPlain, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { connect as connectTls } from 'node:tls';
import type { Redis } from 'ioredis';
import type { RedisServer } from './redis-process.js';
import { waitFor } from './wait-for.js';

const WRITES = new Set(['set', 'del', 'unlink', 'expire', 'pexpire', 'persist', 'getdel']);
const RECONNECT_MS = 50;

/**
 * Counts what scripts did to the records of a server, by MONITOR: what arrives late, or twice, is counted as it runs. A
 * script's command is seen when it is run, not when it is refused.
 */
export class ExecutedWrites implements Disposable {
  readonly #counts = new Map<string, number>();
  readonly #markers = new Set<string>();
  readonly #server: RedisServer;
  readonly #client: Redis;
  #socket: Socket | undefined;
  #isOver = false;

  private constructor(server: RedisServer, client: Redis) {
    this.#server = server;
    this.#client = client;
  }

  /** Follows a server, through restarts, until it is disposed of. */
  static async of(server: RedisServer): Promise<ExecutedWrites> {
    const writes = new ExecutedWrites(server, await server.client());
    writes.#follow();
    await writes.count('');
    return writes;
  }

  /** The number so far of writes to a record by scripts. */
  async count(record: string): Promise<number> {
    const marker = randomUUID();
    await waitFor(
      async () => {
        await this.#client.echo(marker);
        return this.#markers.has(marker);
      },
      { deadlineMs: 10_000, what: 'what the server did to be told' },
    );
    return this.#counts.get(record) ?? 0;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#socket?.destroy();
  }

  /** By a plain socket: ioredis takes what is told together with MONITOR's own answer for an answer without a question. */
  #follow(): void {
    const { host, port, tls, url } = this.#server;
    const socket = tls ? connectTls({ host, port, rejectUnauthorized: false }) : connectPlain({ host, port });
    this.#socket = socket;
    socket.unref();
    socket.on('error', () => {});
    socket.on('close', () => {
      if (!this.#isOver) setTimeout(() => this.#follow(), RECONNECT_MS).unref();
    });
    const password = decodeURIComponent(new URL(url).password);
    socket.write(`${password === '' ? '' : `AUTH ${password}\r\n`}MONITOR\r\n`);
    createInterface(socket)
      .on('line', (line) => this.#see(line))
      .on('error', () => {});
  }

  /** A line such as `+1795980546.799 [0 lua] "set" "record" "owner"`. */
  #see(line: string): void {
    const source = /^\+[\d.]+ \[\d+ (\S+)\]/.exec(line)?.[1];
    const [name = '', record = ''] = [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = '']) => word);
    if (name.toLowerCase() === 'echo') this.#markers.add(record);
    if (source !== 'lua' || !WRITES.has(name.toLowerCase())) return;
    this.#counts.set(record, (this.#counts.get(record) ?? 0) + 1);
  }
}
