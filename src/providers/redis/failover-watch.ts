import { Redis } from 'ioredis';
import { systemClock } from '../../lease/clock.js';
import { Deadline } from '../../lease/deadline.js';
import { type ConnectSettings, leanOptions } from './connect-settings.js';
import { type Login, loginCommands } from './login.js';
import { type Sentinels, whereIs } from './sentinel.js';
import type { ServerAddress } from './target.js';

/** How long a watcher waits before it connects to its Sentinel again, in milliseconds. */
const RECONNECT_MS = 500;
const LOGIN_MS = 5_000;
/** The leading Sentinel announces a promotion up to a second before the switch, of which the others then hear. */
const PROMOTED = '+promoted-slave';
const SWITCHED = '+switch-master';

/**
 * Listens to every Sentinel for as long as a connection is kept: a primary that was replaced while nobody could reach
 * it goes on taking writes, and only the Sentinels know. What a watcher may have missed is asked for when it is back.
 */
export class FailoverWatch {
  readonly #clients: readonly Redis[];

  /** Calls `onPrimary` with the primary's address whenever a Sentinel names one. */
  constructor(
    { addresses, name }: Sentinels,
    { tls, login }: ConnectSettings,
    onPrimary: (address: ServerAddress) => void,
  ) {
    this.#clients = addresses.map((address) => {
      const client = new Redis({ ...leanOptions(address, tls), retryStrategy: () => RECONNECT_MS });
      client.on('error', () => {});
      client.on('ready', () => {
        subscribe(client, name, login, onPrimary).catch(() => {});
      });
      client.on('message', (channel: string, text: string) => {
        const { primary, host, port } = readAnnouncement(channel, text);
        if (primary === name && host !== undefined) onPrimary({ host, port: Number(port) });
      });
      client.connect().catch(() => {});
      return client;
    });
  }

  close(): void {
    for (const client of this.#clients) {
      client.disconnect();
      client.stream?.destroy();
    }
  }
}

/** In one write, so that whatever happens after the Sentinel has said where the primary is will be announced. */
async function subscribe(
  client: Redis,
  name: string,
  login: Login,
  onPrimary: (address: ServerAddress) => void,
): Promise<void> {
  const commands = [...(await loginCommands(login, Deadline.after(LOGIN_MS, systemClock))), whereIs(name)];
  client.stream.cork();
  const sent = [
    ...commands.map(([command, ...args]) => client.call(command, args)),
    client.subscribe(PROMOTED, SWITCHED),
  ];
  client.stream.uncork();
  const where = (await Promise.all(sent)).at(-2);
  if (Array.isArray(where)) onPrimary({ host: String(where[0]), port: Number(where[1]) });
}

/** Reads `<primary> <old host> <old port> <host> <port>`, or `slave <id> <host> <port> @ <primary> <old host> <old port>`. */
function readAnnouncement(channel: string, text: string) {
  const words = text.split(' ');
  return channel === SWITCHED
    ? { primary: words[0], host: words[3], port: words[4] }
    : { primary: words[5], host: words[2], port: words[3] };
}
