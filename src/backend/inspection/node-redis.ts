import type { ClientFacts } from './client-facts.js';
import { type ConnectionParts, RedisConnectionFacts } from './connection-facts.js';
import { type Credentials, readCredentials } from './credentials.js';
import { type Endpoint, isUnnamed, placeOf, readEndpoint } from './node-redis-endpoint.js';
import type { SelfDebugger } from './self-debugger.js';
import { readTls } from './tls-facts.js';
import { asList, asText, asWhole, isObject, read, readPath } from './values.js';

const DEFAULT_SENTINEL_PORT = 26_379;

/** Whether a value is a client of the package `redis`: single, cluster or Sentinel. */
export function isNodeRedis(value: unknown): value is object {
  return (
    isObject(value) &&
    typeof read(value, 'sendCommand') === 'function' &&
    typeof read(value, 'isOpen') === 'boolean'
  );
}

/** Reads what a client of node-redis 4, 5 or 6 was told; `undefined` where its options cannot be seen. */
export async function readNodeRedis(
  client: object,
  eyes: SelfDebugger | undefined,
): Promise<ClientFacts | undefined> {
  const single = read(client, 'options');
  const options = isObject(single) ? single : await findOptions(client, eyes);
  if (!isObject(options)) return undefined;
  let parts: ConnectionParts;
  if (Array.isArray(read(options, 'rootNodes'))) parts = await clusterParts(options);
  else if (Array.isArray(read(options, 'sentinelRootNodes'))) parts = await sentinelParts(options);
  else if (options === single) parts = await singleParts(options, await selectedDatabase(client, eyes));
  // A pool's own options say nothing of where it connects.
  else return undefined;
  return {
    client: 'node-redis',
    connection: new RedisConnectionFacts(parts),
    clientKeyPrefix: asText(read(options, 'keyPrefix')) ?? '',
    builtWithoutUrl: parts.topology === 'single' && isUnnamed(readEndpoint(options)),
  };
}

/** A cluster or Sentinel client hides its options; what `create…` answers only inherits from it, and calls it `_self`. */
async function findOptions(client: object, eyes: SelfDebugger | undefined): Promise<unknown> {
  const visible = read(client, '_options');
  if (isObject(visible)) return visible;
  const self = read(client, '_self');
  const view = await eyes?.look(isObject(self) ? self : client);
  return view?.fields.find(({ name, value }) => name === '#options' && isObject(value))?.value;
}

/** The database that was selected last, which options do not say. */
async function selectedDatabase(client: object, eyes: SelfDebugger | undefined): Promise<number | undefined> {
  const self = read(client, '_self');
  const view = await eyes?.look(isObject(self) ? self : client);
  return asWhole(view?.fields.find(({ name }) => name === '#selectedDB')?.value);
}

async function singleParts(options: object, selected: number | undefined): Promise<ConnectionParts> {
  const endpoint = readEndpoint(options);
  const socket = read(options, 'socket');
  const { tls, limits } = readTlsOf(endpoint.isTls, socket);
  return {
    topology: 'single',
    servers: [placeOf(endpoint)],
    database: selected ?? endpoint.database ?? asWhole(read(options, 'database')) ?? 0,
    ...(tls && { tls }),
    ...(await credentialsOf(options, endpoint)),
    limits: [...limits, ...(tls && endpoint.path !== undefined ? ['TLS on a Unix socket'] : [])],
    ...familyOf(socket),
  };
}

/** Root nodes only find the cluster: what holds for every connection stands in `defaults`. */
async function clusterParts(options: object): Promise<ConnectionParts> {
  const defaults = read(options, 'defaults');
  const roots = asList(read(options, 'rootNodes'));
  const endpoints = roots.map((root) => readEndpoint(root));
  const isTls = readEndpoint(defaults).isTls || endpoints.some((endpoint) => endpoint.isTls);
  const socket = { ...object(readPath(roots, 0, 'socket')), ...object(read(defaults, 'socket')) };
  const { tls, limits } = readTlsOf(isTls, socket);
  const shared = isObject(defaults) ? await credentialsOf(defaults, readEndpoint(defaults)) : {};
  const [firstRoot] = roots;
  const own = isObject(firstRoot) ? await credentialsOf(firstRoot, readEndpoint(firstRoot)) : {};
  return {
    topology: 'cluster',
    servers: endpoints.map(placeOf),
    database: 0,
    ...(tls && { tls }),
    ...(isEmpty(shared) ? own : shared),
    limits: [...limits, ...addressMapLimit(options)],
  };
}

async function sentinelParts(options: object): Promise<ConnectionParts> {
  const data = read(options, 'nodeClientOptions');
  const own = read(options, 'sentinelClientOptions');
  const isTls = read(read(data, 'socket'), 'tls') === true;
  const { tls, limits } = readTlsOf(isTls, read(data, 'socket'));
  const sentinelLogin = isObject(own) ? await readCredentials(own) : {};
  const name = asText(read(options, 'name'));
  const sentinelPassword = typeof sentinelLogin.password === 'string' ? sentinelLogin.password : undefined;
  return {
    topology: 'sentinel',
    servers: asList(read(options, 'sentinelRootNodes')).map((node) => ({
      host: asText(read(node, 'host')) ?? 'localhost',
      port: asWhole(read(node, 'port')) ?? DEFAULT_SENTINEL_PORT,
    })),
    ...(name !== undefined && { primaryName: name }),
    ...(sentinelLogin.username !== undefined && { sentinelUsername: sentinelLogin.username }),
    ...(sentinelPassword !== undefined && { sentinelPassword }),
    database: asWhole(read(data, 'database')) ?? 0,
    ...(tls && { tls }),
    ...(isObject(data) ? await readCredentials(data) : {}),
    limits: [
      ...limits,
      ...addressMapLimit(options),
      ...((readPath(own, 'socket', 'tls') === true) === isTls
        ? []
        : ['TLS to either the Sentinels or the primary alone']),
      ...(typeof sentinelLogin.password === 'function' ? ['changing credentials for the Sentinels'] : []),
    ],
  };
}

function readTlsOf(
  isTls: boolean,
  socket: unknown,
): Partial<ReturnType<typeof readTls>> & { limits: readonly string[] } {
  return isTls ? readTls(socket) : { limits: [] };
}

/** A URL's credentials go before the others, unless a client has read it already and made a provider of them. */
async function credentialsOf(options: object, { credentials }: Endpoint): Promise<Credentials> {
  return isEmpty(credentials) ? readCredentials(options) : credentials;
}

function familyOf(socket: unknown): { family?: 4 | 6 } {
  const family = read(socket, 'family');
  return family === 4 || family === 6 ? { family } : {};
}

function addressMapLimit(options: object): readonly string[] {
  return read(options, 'nodeAddressMap') === undefined ? [] : ['a map of addresses'];
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

function object(value: unknown): object {
  return isObject(value) ? value : {};
}
