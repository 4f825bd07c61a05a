import { Buffer } from 'node:buffer';
import { isLeaseError } from '../../lease/errors.js';
import type { ServerFacts, Told } from '../../lease/server-facts.js';
import type { CallAnswer, RedisClient, Route } from './client.js';
import { readClusterMasters } from './cluster-masters.js';
import type { RedisCommand } from './command.js';
import { leaseRecordPrefix } from './keys.js';
import { ReplyFailure } from './reply-failure.js';

/** What a Redis or Valkey server tells of itself. In a cluster, what is worst of all its masters. */
export interface RedisServerFacts extends ServerFacts {
  /** Only of a replica: whether it hears from its primary. */
  readonly isLinkUp?: Told<boolean>;
  /** Only in a cluster: how many masters answered, of how many. */
  readonly masters?: { readonly answered: number; readonly known: number };
}

/**
 * Asks a server about itself, in one round trip; in a cluster then every master. Writes nothing and leaves nothing behind:
 * tracking is turned off in the same write that turned it on. What a server refuses to tell is `refused`.
 *
 * @throws `LeaseError` when it cannot be asked at all.
 */
export async function readServerFacts(client: RedisClient, keyPrefix: string): Promise<RedisServerFacts> {
  const facts = await askServer(client, 'any', keyPrefix);
  if (facts.mode !== 'cluster') return facts;
  const masters = await knownMasters(client);
  const answers = await Promise.allSettled(masters.map((server) => askServer(client, { server }, keyPrefix)));
  const told = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const [first] = told;
  if (!first) return facts;
  return {
    ...(told.find(({ evictionPolicy }) => mayEvict(evictionPolicy)) ?? first),
    isTrackingPermitted: told.every(({ isTrackingPermitted }) => isTrackingPermitted),
    masters: { answered: told.length, known: masters.length },
  };
}

function mayEvict(policy: Told<string>): boolean {
  return policy !== 'refused' && policy !== 'noeviction';
}

/** A user may not be permitted to ask for them. */
async function knownMasters(client: RedisClient) {
  try {
    return (await readClusterMasters(client)).masters;
  } catch (error) {
    if (!isLeaseError(error)) throw error;
    return [];
  }
}

async function askServer(client: RedisClient, route: Route, keyPrefix: string): Promise<RedisServerFacts> {
  const commands: readonly RedisCommand[] = [
    ['info', 'server'],
    ['info', 'memory'],
    ['info', 'replication'],
    ['client', 'tracking', 'ON', 'BCAST', 'PREFIX', leaseRecordPrefix(keyPrefix)],
    ['client', 'tracking', 'OFF'],
  ];
  const answer = await client.call({ name: 'check', kind: 'read', commands }, route);
  const { view } = answer;
  const [server, memory, replication] = [0, 1, 2].map((index) => readInfo(answer, index));
  const version = view.version ?? server?.get('valkey_version') ?? server?.get('redis_version');
  return {
    role: view.role,
    ...(view.mode !== undefined && { mode: view.mode }),
    ...(version !== undefined && { version }),
    evictionPolicy: memory?.get('maxmemory_policy') ?? 'refused',
    maxMemoryBytes: readBytes(memory?.get('maxmemory')),
    runId: server?.get('run_id') ?? 'refused',
    isTrackingPermitted: !(answer.replies[3] instanceof ReplyFailure),
    ...(view.role === 'replica' && { isLinkUp: readLink(replication) }),
  };
}

/** The fields of an INFO section; `undefined` where the server refuses it. */
function readInfo({ replies }: CallAnswer, index: number): ReadonlyMap<string, string> | undefined {
  const reply = replies[index];
  if (!Buffer.isBuffer(reply)) return undefined;
  const fields = reply
    .toString()
    .split('\r\n')
    .flatMap((line): [string, string][] => {
      const colon = line.indexOf(':');
      return line.startsWith('#') || colon < 0 ? [] : [[line.slice(0, colon), line.slice(colon + 1)]];
    });
  return new Map(fields);
}

function readBytes(text: string | undefined): Told<number> {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : 'refused';
}

function readLink(replication: ReadonlyMap<string, string> | undefined): Told<boolean> {
  const link = replication?.get('master_link_status');
  return link === undefined ? 'refused' : link === 'up';
}
