import type { ClientFacts } from './client-facts.js';
import { type ConnectionParts, RedisConnectionFacts, type ServerPlace } from './connection-facts.js';
import { readTls } from './tls-facts.js';
import { asList, asText, asWhole, isObject, read, readPath } from './values.js';

const DEFAULT_PORT = 6379;
const DEFAULT_SENTINEL_PORT = 26_379;

/** Whether a value is a client of ioredis, or of a fork that kept its fields. */
export function isIoredis(value: unknown): value is object {
  return (
    isObject(value) &&
    typeof read(value, 'sendCommand') === 'function' &&
    typeof read(value, 'status') === 'string' &&
    typeof read(value, 'isCluster') === 'boolean' &&
    isObject(read(value, 'options'))
  );
}

/** Reads what a client of ioredis was told. It says nothing of which of it is a default. */
export function readIoredis(client: object): ClientFacts {
  const options = read(client, 'options');
  const isCluster = read(client, 'isCluster') === true;
  const parts = isCluster
    ? clusterParts(client, options)
    : Array.isArray(read(options, 'sentinels'))
      ? sentinelParts(client, options)
      : singleParts(client, options);
  return {
    client: 'ioredis',
    connection: new RedisConnectionFacts(parts),
    clientKeyPrefix: asText(read(options, 'keyPrefix')) ?? '',
    builtWithoutUrl: false,
  };
}

function singleParts(client: object, options: unknown): ConnectionParts {
  const path = asText(read(options, 'path'));
  const { tls, limits } = readTlsOf(options);
  const place =
    path === undefined ? placeOf({ ...object(options), ...object(read(options, 'tls')) }) : { path };
  return {
    topology: 'single',
    servers: [place],
    database: databaseOf(client, options),
    ...(tls && { tls }),
    ...login(options),
    ...familyOf(options),
    limits: [
      ...limits,
      ...(tls && path !== undefined ? ['TLS on a Unix socket'] : []),
      ...(read(options, 'Connector') ? ['a connector of its own'] : []),
    ],
  };
}

function sentinelParts(client: object, options: unknown): ConnectionParts {
  const isTls = read(options, 'enableTLSForSentinelMode') === true;
  const { tls, limits } = isTls ? readTlsOf(options) : { limits: [] };
  const [name, sentinelUsername, sentinelPassword] = ['name', 'sentinelUsername', 'sentinelPassword'].map(
    (field) => asText(read(options, field)),
  );
  return {
    topology: 'sentinel',
    servers: asList(read(options, 'sentinels')).map((sentinel) => placeOf(sentinel, DEFAULT_SENTINEL_PORT)),
    ...(name !== undefined && { primaryName: name }),
    ...(sentinelUsername !== undefined && { sentinelUsername }),
    ...(sentinelPassword !== undefined && { sentinelPassword }),
    database: databaseOf(client, options),
    ...(tls && { tls }),
    ...login(options),
    limits: [
      ...limits,
      ...natMapLimit(options),
      ...(Boolean(read(options, 'sentinelTLS')) === (tls !== undefined)
        ? []
        : ['TLS to either the Sentinels or the primary alone']),
    ],
  };
}

function clusterParts(client: object, options: unknown): ConnectionParts {
  const shared = read(options, 'redisOptions');
  const nodes = asList(read(client, 'startupNodes')).map(readStartupNode);
  const [first] = nodes;
  const { tls, limits } = readTlsOf(read(shared, 'tls') ? shared : first?.options);
  const own = login(shared);
  return {
    topology: 'cluster',
    servers: nodes.map(({ place }) => place),
    database: 0,
    ...(tls && { tls }),
    ...(Object.keys(own).length === 0 ? login(first?.options) : own),
    limits: [
      ...limits,
      ...natMapLimit(options),
      ...(read(options, 'useSRVRecords') === true ? ['SRV records'] : []),
    ],
  };
}

/** The database that was selected last, or else the one it was told. */
function databaseOf(client: object, options: unknown): number {
  return asWhole(readPath(client, 'condition', 'select')) ?? asWhole(read(options, 'db')) ?? 0;
}

/** A startup node is a port, `host:port`, a URL, or an object. */
function readStartupNode(node: unknown): { readonly place: ServerPlace; readonly options: unknown } {
  if (typeof node === 'number') return { place: { host: '127.0.0.1', port: node }, options: {} };
  if (typeof node !== 'string') return { place: placeOf(node, DEFAULT_PORT, '127.0.0.1'), options: node };
  const url = node.includes('://') ? node : `redis://${node}`;
  if (!URL.canParse(url)) return { place: { host: '127.0.0.1', port: DEFAULT_PORT }, options: {} };
  const { hostname, port, username, password } = new URL(url);
  return {
    place: {
      host: hostname.replace(/^\[|\]$/g, '') || '127.0.0.1',
      port: port === '' ? DEFAULT_PORT : Number(port),
    },
    // A startup node's URL turns no TLS on, whatever its scheme.
    options: { username: decodeURIComponent(username), password: decodeURIComponent(password) },
  };
}

function placeOf(options: unknown, defaultPort = DEFAULT_PORT, defaultHost = 'localhost'): ServerPlace {
  return {
    host: asText(read(options, 'host')) ?? defaultHost,
    port: asWhole(read(options, 'port')) || defaultPort,
  };
}

/** `tls: true` comes of a `rediss:` URL; an empty object of options means TLS too. */
function readTlsOf(
  options: unknown,
): Partial<ReturnType<typeof readTls>> & { readonly limits: readonly string[] } {
  const tls = read(options, 'tls');
  return tls ? readTls(tls) : { limits: [] };
}

function login(options: unknown): { username?: string; password?: string } {
  const [username, password] = [asText(read(options, 'username')), asText(read(options, 'password'))];
  return { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
}

function familyOf(options: unknown): { family?: 4 | 6 } {
  const family = read(options, 'family');
  return family === 4 || family === 6 ? { family } : {};
}

function natMapLimit(options: unknown): readonly string[] {
  return read(options, 'natMap') ? ['a map of addresses'] : [];
}

function object(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
