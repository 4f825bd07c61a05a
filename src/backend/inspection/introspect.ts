import { types } from 'node:util';
import { LEASE_METHODS } from '../../lease/provider.js';
import type { ClientFacts } from './client-facts.js';
import type { RedisConnectionFacts } from './connection-facts.js';
import { describeClass, hasOneLeaseHome } from './describe-class.js';
import { isIoredis, readIoredis } from './ioredis.js';
import { isNodeRedis, readNodeRedis } from './node-redis.js';
import { bareName, fieldsOf, type Step, unwrap } from './provider-fields.js';
import { type HiddenField, SelfDebugger } from './self-debugger.js';
import { isValkeyStreamsClient, readValkeyStreams } from './valkey-glide.js';
import { isObject, read } from './values.js';

/** What a provider's own fields say about where it keeps its leases. */
export interface Introspected {
  /** The prefix of its records, with whatever its client puts before every key. Absent: no field tells. */
  readonly keyPrefix?: string;
  readonly connection: RedisConnectionFacts;
  readonly client: ClientFacts['client'];
  /** No URL, host or path was given to the client, so that it talks to localhost. */
  readonly builtWithoutUrl: boolean;
  /**
   * The client talks to `localhost:6379` without a login: what it was told, or what a class or a client fills in when
   * it was told nothing. Neither keeps which of the two it was.
   */
  readonly isDefaultAddress: boolean;
  /** The class of the provider itself, without what wraps it. */
  readonly className: string;
  /**
   * Whether prefix and connection are the provider's own, unchanged by a wrapper or a subclass: only then does an empty
   * listing mean anything without a comparison.
   */
  readonly isTrusted: boolean;
}

/** How deep providers are followed that hold another one. */
const MAX_DEPTH = 4;

/**
 * Reads, by Node's own debugger, where a provider built like Mastra's keeps its leases: its key prefix and what its Redis
 * client was told. Runs none of the application's code but plain getters and its source of credentials, connects to
 * nothing, changes nothing. `undefined` for a provider that is built otherwise.
 */
export async function introspectProvider(provider: unknown): Promise<Introspected | undefined> {
  const eyes = await SelfDebugger.open();
  try {
    return await introspect({ value: provider, isTrusted: true }, eyes, MAX_DEPTH);
  } catch {
    // It is an extra: whatever an unknown object does to it must not end the command.
    return undefined;
  } finally {
    eyes?.close();
  }
}

async function introspect(
  from: Step,
  eyes: SelfDebugger | undefined,
  depth: number,
): Promise<Introspected | undefined> {
  const { value: provider, isTrusted } = await unwrap(from, eyes);
  if (!isObject(provider) || depth === 0) return undefined;
  const fields = await fieldsOf(provider, eyes);
  const found = await findClient(fields, eyes);
  const inner = fields.filter(({ value }) => mayLease(value));
  // One that holds another may hand its calls on, whatever its own fields say.
  const isAlone = inner.length === 0 && hasOneLeaseHome(provider);
  const own = found && conclude(provider, fields, found, isTrusted && isAlone);
  if (own?.keyPrefix !== undefined) return own;
  for (const { value } of inner) {
    const facts = await introspect({ value, isTrusted: false }, eyes, depth - 1);
    if (facts) return { ...facts, className: describeClass(provider).className };
  }
  return own;
}

function mayLease(value: unknown): boolean {
  const has = (name: string) => typeof read(value, name) === 'function';
  return has('getLeaseProvider') || LEASE_METHODS.every(has);
}

function conclude(
  provider: object,
  fields: readonly HiddenField[],
  { facts, isOnlyOne }: FoundClient,
  isTrusted: boolean,
): Introspected {
  const declared = new Set(
    fields.filter(({ name }) => bareName(name) === 'keyprefix').map(({ value }) => value),
  );
  const given = fields
    .filter(({ name }) => SETTINGS.includes(bareName(name)))
    .map(({ value }) => read(value, 'keyPrefix'));
  const prefix = [...declared, ...given].find((value) => typeof value === 'string');
  const { client, connection, clientKeyPrefix, builtWithoutUrl } = facts;
  return {
    ...(prefix !== undefined && { keyPrefix: clientKeyPrefix + prefix }),
    connection,
    client,
    builtWithoutUrl,
    isDefaultAddress: connection.toOptions().url === 'redis://localhost:6379/0',
    className: describeClass(provider).className,
    isTrusted:
      isTrusted && isOnlyOne && declared.size === 1 && declared.has(prefix) && connection.limits.length === 0,
  };
}

/** Fields that hold what a constructor was given. */
const SETTINGS: readonly string[] = ['options', 'opts', 'config', 'settings'];

interface FoundClient {
  readonly facts: ClientFacts;
  /** Whether no other client that would do leads elsewhere. */
  readonly isOnlyOne: boolean;
}

/** Finds the Redis client among a provider's fields: the one that writes before others, one by its name before any. */
async function findClient(
  fields: readonly HiddenField[],
  eyes: SelfDebugger | undefined,
): Promise<FoundClient | undefined> {
  const found: { readonly rank: number; readonly facts: ClientFacts }[] = [];
  for (const { name, value } of fields) {
    const client = types.isPromise(value) ? (await eyes?.look(value))?.slots.get('[[PromiseResult]]') : value;
    const facts = await readClient(client, eyes);
    if (!facts?.connection.isUsable) continue;
    const rank = CLIENT_NAMES.findIndex((names) => names.test(bareName(name)));
    found.push({ rank: rank < 0 ? CLIENT_NAMES.length : rank, facts });
  }
  found.sort((a, b) => a.rank - b.rank);
  const [best, next] = found;
  if (!best) return undefined;
  const isOnlyOne =
    next === undefined || next.rank > best.rank || next.facts.connection.equals(best.facts.connection);
  return { facts: best.facts, isOnlyOne };
}

/** Names of fields that hold the client which writes, the likeliest first. */
const CLIENT_NAMES = [/^write/, /^lease/, /^(?:redis|valkey)?(?:client)?$/, /^pub/];

async function readClient(value: unknown, eyes: SelfDebugger | undefined): Promise<ClientFacts | undefined> {
  if (isIoredis(value)) return readIoredis(value);
  if (isNodeRedis(value)) return readNodeRedis(value, eyes);
  if (isValkeyStreamsClient(value)) return readValkeyStreams(value);
  return undefined;
}
