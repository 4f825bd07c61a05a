import { commonArgs, type RedisServer, startServer, stopAll } from './redis-process.js';
import { waitFor } from './wait-for.js';

export interface ReplicaPair extends AsyncDisposable {
  /** The primary now; the other server after `swapRoles()`. */
  readonly primary: RedisServer;
  readonly replica: RedisServer;
  /** Makes the replica the primary and the primary its replica, with both connections kept open. */
  swapRoles(): Promise<void>;
  /** Waits until the replica has applied what the primary has written so far. */
  sync(): Promise<void>;
  stop(): Promise<void>;
}

interface ReplicaPairOptions {
  /** The default user's password, on both. */
  readonly password?: string;
}

/** A primary and its replica, synced. */
export async function startReplicaPair({ password }: ReplicaPairOptions = {}): Promise<ReplicaPair> {
  const first = await startDataServer(password);
  const second = await startDataServer(password, first.port);
  await waitForSync(second);
  let [primary, replica] = [first, second];
  const stop = () => stopAll([first, second]);

  async function swapRoles(): Promise<void> {
    const [from, to] = [primary, replica];
    await runOnce(to, 'REPLICAOF', 'NO', 'ONE');
    await runOnce(from, 'REPLICAOF', to.host, String(to.port));
    await waitForSync(from);
    [primary, replica] = [to, from];
  }

  return {
    get primary() {
      return primary;
    },
    get replica() {
      return replica;
    },
    swapRoles,
    sync: () => waitForOffset(primary, replica),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/**
 * A replica of a port on which nothing listens: it is up, has never synced and answers nil for everything.
 */
export function startUnsyncedReplica(deadPort: number): Promise<RedisServer> {
  return startDataServer(undefined, deadPort);
}

/** A data server that can take either role. */
export function startDataServer(password?: string, primaryPort?: number): Promise<RedisServer> {
  return startServer({
    password,
    argv: (port, directory) => [
      ...commonArgs(port, directory),
      ...(password === undefined ? [] : ['--requirepass', password, '--masterauth', password]),
      ...(primaryPort === undefined ? [] : ['--replicaof', '127.0.0.1', String(primaryPort)]),
    ],
  });
}

/** Waits until a replica has finished its first sync. */
export async function waitForSync(replica: RedisServer): Promise<void> {
  const client = await replica.client();
  await waitFor(async () => (await client.info('replication')).includes('master_link_status:up'), {
    deadlineMs: 20_000,
    what: 'the replica to sync',
  });
  client.disconnect();
}

async function waitForOffset(primary: RedisServer, replica: RedisServer): Promise<void> {
  const [from, to] = [await primary.client(), await replica.client()];
  const target = offsetIn(await from.info('replication'), 'master_repl_offset');
  await waitFor(async () => offsetIn(await to.info('replication'), 'slave_repl_offset') >= target, {
    what: 'the replica to catch up',
  });
  from.disconnect();
  to.disconnect();
}

function offsetIn(info: string, name: string): number {
  return Number(new RegExp(`${name}:(\\d+)`).exec(info)?.[1] ?? -1);
}

async function runOnce(server: RedisServer, command: string, ...args: readonly string[]): Promise<void> {
  const client = await server.client();
  await client.call(command, [...args]);
  client.disconnect();
}
