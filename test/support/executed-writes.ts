import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { RedisServer } from './redis-process.js';
import { waitFor } from './wait-for.js';

const WRITES = new Set(['set', 'del', 'unlink', 'expire', 'pexpire', 'persist', 'getdel']);

/**
 * Counts what scripts did to the records of a server, by MONITOR: what arrives late, or twice, is counted as it runs. A
 * script's command is seen when it is run, not when it is refused.
 */
export class ExecutedWrites implements Disposable {
  readonly #counts = new Map<string, number>();
  readonly #markers = new Set<string>();
  readonly #client: Redis;
  readonly #monitor: Redis;

  private constructor(client: Redis, monitor: Redis) {
    this.#client = client;
    this.#monitor = monitor;
    monitor.on('error', () => {});
    monitor.on('monitor', (_time: string, args: readonly string[], source: string) =>
      this.#see(args, source),
    );
  }

  /** Follows a server, through restarts, until it is disposed of. */
  static async of(server: RedisServer): Promise<ExecutedWrites> {
    const client = await server.client();
    return new ExecutedWrites(client, await client.monitor());
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
    this.#monitor.disconnect();
  }

  #see([name = '', record = '']: readonly string[], source: string): void {
    if (name.toLowerCase() === 'echo') this.#markers.add(record);
    if (source !== 'lua' || !WRITES.has(name.toLowerCase())) return;
    this.#counts.set(record, (this.#counts.get(record) ?? 0) + 1);
  }
}
