import { Buffer } from 'node:buffer';
import type { Deadline } from '../../lease/deadline.js';
import { InvalidConfigError, NotPermittedError } from '../../lease/errors.js';
import type { RedisCommand } from './command.js';
import type { ConnectSettings } from './connect-settings.js';
import { RedisConnection } from './connection.js';
import { unexpected } from './replies.js';
import { ReplyFailure, replyFailure } from './reply-failure.js';
import { tryInTurn } from './seeds.js';
import type { RedisTarget, ServerAddress } from './target.js';

/** Sentinels, and the primary they are asked for. */
export type Sentinels = Extract<RedisTarget['via'], { kind: 'sentinels' }>;

/**
 * Asks one Sentinel after the other where the primary is.
 *
 * @throws `TransportError` when none answered, `LeaseError` when one answered that it does not know or may not say.
 */
export function findPrimary(
  sentinels: Sentinels,
  settings: ConnectSettings,
  deadline: Deadline,
): Promise<ServerAddress> {
  return tryInTurn(sentinels.addresses, deadline, async (address, share) => {
    const connection = await RedisConnection.open(address, settings, share);
    try {
      const { replies } = await connection.request([whereIs(sentinels.name)], share);
      return readPrimary(replies[0], sentinels.name, connection.server);
    } finally {
      connection.close();
    }
  });
}

/** The question for the primary of this name. */
export function whereIs(name: string): RedisCommand {
  return ['sentinel', 'get-master-addr-by-name', name];
}

function readPrimary(reply: unknown, name: string, server: string): ServerAddress {
  if (reply === null)
    throw new InvalidConfigError(`The Sentinel ${server} knows no primary called "${name}"`);
  if (reply instanceof ReplyFailure) {
    if (reply.is('unknown command')) {
      throw new InvalidConfigError(`${server} is no Sentinel`, {
        remedy: 'to connect to a server itself: redis://host:6379',
      });
    }
    if (reply.is('NOAUTH')) {
      throw new NotPermittedError(`The Sentinel ${server} asks for a login of its own (NOAUTH)`, {
        remedy: 'add ?sentinelUsername=…&sentinelPassword=… to the URL',
      });
    }
    throw replyFailure(reply, { command: 'SENTINEL', server });
  }
  const [host, port]: unknown[] = Array.isArray(reply) ? reply : [];
  if (!Buffer.isBuffer(host) || !Buffer.isBuffer(port)) throw unexpected('SENTINEL', reply);
  return { host: host.toString(), port: Number(port.toString()) };
}
