import { resolve, sep } from 'node:path';
import { inspect } from 'node:util';
import type { RedisTlsOptions } from '../../providers/redis/index.js';

/** How a client's servers are arranged. */
export type Topology = 'single' | 'cluster' | 'sentinel';

/** A password, or a function that is asked at each connect (short-lived tokens). */
export type Password = string | (() => Promise<string>);

/** Where a client's servers are. */
export type ServerPlace = { readonly host: string; readonly port: number } | { readonly path: string };

/** What a client was told about its connection. */
export interface ConnectionParts {
  readonly topology: Topology;
  /** The one server, a cluster's seeds, or the Sentinels. */
  readonly servers: readonly ServerPlace[];
  /** The name by which Sentinels know the primary. */
  readonly primaryName?: string;
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
  readonly database: number;
  /** The IP version that is asked for. */
  readonly family?: 4 | 6;
  /** Absent: no TLS. */
  readonly tls?: RedisTlsOptions;
  readonly username?: string;
  readonly password?: Password;
  /** What the client was told that a connection of ours cannot do, a few words each. */
  readonly limits: readonly string[];
}

/** The options with which `RedisLeaseProvider` connects as the application does. */
export interface ConnectionOptions {
  readonly url: string;
  readonly password?: Password;
  readonly tls?: RedisTlsOptions;
}

/**
 * How an application's client connects, credentials included. They are handed out by {@link toOptions} alone: nothing
 * that prints or serializes this object shows them.
 */
export class RedisConnectionFacts {
  readonly topology: Topology;
  /** The URL without user info: safe to print. */
  readonly name: string;
  /** What the application's connection does that ours cannot, a few words each. */
  readonly limits: readonly string[];
  readonly #parts: ConnectionParts;

  constructor(parts: ConnectionParts) {
    this.topology = parts.topology;
    this.limits = parts.limits;
    this.name = formatUrl(parts, '', []);
    this.#parts = parts;
  }

  /** Whether a URL can say it. A client may have been told what only fails when it connects. */
  get isUsable(): boolean {
    const { topology, servers, primaryName, database } = this.#parts;
    return (
      servers.length > 0 &&
      servers.every(isPlace) &&
      database <= MAX_DATABASE &&
      (topology !== 'sentinel' || primaryName !== undefined)
    );
  }

  /** What `RedisLeaseProvider` needs. The URL has the credentials in it, percent-encoded. */
  toOptions(): ConnectionOptions {
    const { username, password, tls, family, sentinelUsername, sentinelPassword } = this.#parts;
    const fixed = typeof password === 'string' ? `:${encodeURIComponent(password)}` : '';
    const userInfo =
      username === undefined && fixed === '' ? '' : `${encodeURIComponent(username ?? '')}${fixed}@`;
    const query = Object.entries({ family, sentinelUsername, sentinelPassword }).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
    );
    return {
      url: formatUrl(this.#parts, userInfo, query),
      ...(typeof password === 'function' && { password }),
      ...(tls && { tls }),
    };
  }

  /** Whether it leads to the same place, as the same user. */
  equals(other: RedisConnectionFacts): boolean {
    const [mine, theirs] = [this.toOptions(), other.toOptions()];
    return mine.url === theirs.url && mine.password === theirs.password;
  }

  toString(): string {
    return this.name;
  }

  toJSON(): unknown {
    return { name: this.name, topology: this.topology };
  }

  [inspect.custom](): string {
    return `RedisConnectionFacts { ${this.name} }`;
  }
}

/** The largest number that a Redis URL may name. */
const MAX_DATABASE = 999_999;

function isPlace(server: ServerPlace): boolean {
  if ('path' in server) return true;
  const { host, port } = server;
  return /^(?:[0-9a-f:.]+|[^\s:,/?#@[\]]+)$/i.test(host) && port >= 1 && port <= 65_535;
}

function formatUrl(parts: ConnectionParts, userInfo: string, query: readonly string[]): string {
  const { topology, servers, database, tls, primaryName = '' } = parts;
  const scheme = tls ? 'rediss' : 'redis';
  const end = query.length === 0 ? '' : `?${query.join('&')}`;
  const [first] = servers;
  if (first && 'path' in first) {
    const path = resolve(first.path).split(sep).map(encodeURIComponent).join('/');
    return `redis+unix://${userInfo}${path}${database === 0 ? '' : `?db=${database}`}`;
  }
  const at = `${userInfo}${servers.map(formatServer).join(',')}`;
  switch (topology) {
    case 'single':
      return `${scheme}://${at}/${database}${end}`;
    case 'cluster':
      return `${scheme}+cluster://${at}${end}`;
    case 'sentinel':
      return `${scheme}+sentinel://${at}/${encodeURIComponent(primaryName)}/${database}${end}`;
  }
}

function formatServer(server: ServerPlace): string {
  if ('path' in server) return server.path;
  return server.host.includes(':') ? `[${server.host}]:${server.port}` : `${server.host}:${server.port}`;
}
