import { InvalidConfigError } from '../../lease/errors.js';

/** A server's host and port. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly family?: number;
}

/** A server's address: host and port, or the path of a Unix socket. */
export type RedisAddress = ServerAddress | { readonly path: string };

/** Where to connect, read off a URL; credentials apart. */
export interface RedisTarget {
  /** One server or a cluster's seeds, or the Sentinels that know the primary called `name`. */
  readonly via:
    | { readonly kind: 'servers'; readonly addresses: readonly RedisAddress[] }
    | {
        readonly kind: 'sentinels';
        readonly addresses: readonly ServerAddress[];
        readonly name: string;
        readonly username?: string;
        readonly password?: string;
      };
  readonly tls: boolean;
  readonly database: number;
  readonly username?: string;
  readonly password?: string;
  /** The URL without user info and query: safe to print. */
  readonly name: string;
}

const TOPOLOGIES = ['', 'cluster', 'sentinel', 'unix'] as const;
type Topology = (typeof TOPOLOGIES)[number];

const PARAMETERS: readonly string[] = ['db', 'family', 'sentinelUsername', 'sentinelPassword'];

const FORMS =
  'redis://host:6379/0, rediss://…, redis+cluster://h1,h2, redis+sentinel://h1,h2/master or redis+unix:///path?db=0';

/**
 * Reads a Redis URL. No message of a failure quotes the URL: it may hold a password.
 *
 * @throws {@link InvalidConfigError}
 */
export function parseRedisUrl(url: string): RedisTarget {
  const scheme = readScheme(url);
  if (scheme === undefined) throw new InvalidConfigError(`Expected a Redis URL such as ${FORMS}`);
  const { authority, path, query } = splitUrl(url.slice(scheme.length + 3));
  const at = authority.lastIndexOf('@');
  const credentials = at < 0 ? {} : readUserInfo(authority.slice(0, at));
  const hosts = authority.slice(at + 1);
  const shared = { tls: scheme.tls, ...credentials };
  switch (scheme.topology) {
    case 'unix': {
      const database = readDatabase(query.get('db') ?? '');
      if (hosts !== '' || path === '')
        throw new InvalidConfigError('Expected redis+unix:///path/to/redis.sock');
      const socket = decode(path, 'path');
      const name = `redis+unix://${socket}${database === 0 ? '' : `?db=${database}`}`;
      return { ...shared, via: { kind: 'servers', addresses: [{ path: socket }] }, database, name };
    }
    case 'sentinel': {
      const [, master = '', ...databasePath] = path.split('/');
      if (master === '') {
        throw new InvalidConfigError(
          'Expected the name of the primary after the Sentinels: redis+sentinel://h1,h2/mymaster',
        );
      }
      const addresses = readHosts(hosts, 26_379);
      const name = decode(master, 'name of the primary');
      const database = readDatabase(query.get('db') ?? databasePath.join('/'));
      const username = query.get('sentinelUsername');
      const password = query.get('sentinelPassword');
      return {
        ...shared,
        via: {
          kind: 'sentinels',
          addresses,
          name,
          ...(username === null ? {} : { username }),
          ...(password === null ? {} : { password }),
        },
        database,
        name: `${scheme.written}://${listAddresses(addresses)}/${name}/${database}`,
      };
    }
    case 'cluster':
    case '': {
      const family = readFamily(query.get('family'));
      const addresses = readHosts(hosts, 6379).map((address) => ({ ...address, ...family }));
      if (scheme.topology === '' && addresses.length > 1) {
        throw new InvalidConfigError(
          'Several hosts are a cluster or Sentinels: redis+cluster://h1,h2 or redis+sentinel://h1,h2/master',
        );
      }
      const database = readDatabase(query.get('db') ?? path.slice(1));
      if (scheme.topology === 'cluster' && database !== 0) {
        throw new InvalidConfigError(`A Redis Cluster has only database 0, got ${database}`);
      }
      const suffix = scheme.topology === 'cluster' ? '' : `/${database}`;
      const name = `${scheme.written}://${listAddresses(addresses)}${suffix}`;
      return { ...shared, via: { kind: 'servers', addresses }, database, name };
    }
  }
}

/** An address as it is printed. */
export function formatAddress(address: RedisAddress): string {
  if ('path' in address) return address.path;
  return address.host.includes(':') ? `[${address.host}]:${address.port}` : `${address.host}:${address.port}`;
}

interface Scheme {
  readonly written: string;
  readonly length: number;
  readonly tls: boolean;
  readonly topology: Topology;
}

function readScheme(text: string): Scheme | undefined {
  const match = /^((redis|valkey)(s?)(?:\+(cluster|sentinel|unix))?):\/\//i.exec(text);
  const [, written, , secure, topology = ''] = match ?? [];
  if (written === undefined) return undefined;
  const lower = topology.toLowerCase();
  const known = TOPOLOGIES.find((candidate) => candidate === lower) ?? '';
  if (known === 'unix' && secure) return undefined;
  return { written: written.toLowerCase(), length: written.length, tls: secure !== '', topology: known };
}

function splitUrl(rest: string): { authority: string; path: string; query: URLSearchParams } {
  const [, authority = '', path = '', query = ''] = /^([^/?#]*)([^?#]*)\??([^#]*)/s.exec(rest) ?? [];
  if (rest.includes('@', authority.length)) {
    throw new InvalidConfigError(
      'The Redis URL has an @ after its host: in a password, write # as %23, / as %2F, ? as %3F and @ as %40',
      { remedy: 'or give the password by MASTRA_LEASE_PASSWORD or --password-file' },
    );
  }
  const parameters = new URLSearchParams(query);
  // Left out silently, one that was meant as the database or as TLS would lead somewhere else.
  if (![...parameters.keys()].every((name) => PARAMETERS.includes(name))) {
    throw new InvalidConfigError(
      `The Redis URL has a parameter of an unknown name after its ?: known are ${PARAMETERS.join(', ')}`,
    );
  }
  return { authority, path, query: parameters };
}

function readUserInfo(userInfo: string): { username?: string; password?: string } {
  const colon = userInfo.indexOf(':');
  const username = decode(colon < 0 ? userInfo : userInfo.slice(0, colon), 'user name');
  const password = colon < 0 ? '' : decode(userInfo.slice(colon + 1), 'password');
  return { ...(username === '' ? {} : { username }), ...(password === '' ? {} : { password }) };
}

function decode(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new InvalidConfigError(
      `The ${what} in the Redis URL has a % that begins no escape: write it as %25`,
    );
  }
}

function readHosts(hosts: string, defaultPort: number): { host: string; port: number }[] {
  return hosts.split(',').map((written) => {
    const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]*))(?::(\d{1,5}))?$/.exec(written);
    const port = match?.[3] === undefined ? defaultPort : Number(match[3]);
    if (!match || port < 1 || port > 65_535) {
      throw new InvalidConfigError(
        `Expected ${FORMS}; the host and port in the Redis URL cannot be read (it is not shown: it may hold a password)`,
        { remedy: 'in a password, write # as %23, / as %2F and @ as %40' },
      );
    }
    return { host: match[1] ?? (match[2] || 'localhost'), port };
  });
}

function readDatabase(text: string): number {
  if (text === '' || text === '/') return 0;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidConfigError(
    'Expected a database number after the host of the Redis URL, as in redis://host:6379/0',
  );
}

function readFamily(text: string | null): { family?: number } {
  return text === '4' || text === '6' ? { family: Number(text) } : {};
}

function listAddresses(addresses: readonly RedisAddress[]): string {
  return addresses.map(formatAddress).join(',');
}
