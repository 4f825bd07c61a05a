import type { ServerPlace } from './connection-facts.js';
import type { Credentials } from './credentials.js';
import { asText, asWhole, read } from './values.js';

const DEFAULT_PORT = 6379;

/** Where one set of options leads: its URL first, then its socket. */
export interface Endpoint {
  readonly host?: string;
  readonly port?: number;
  readonly path?: string;
  readonly isTls: boolean;
  readonly database?: number;
  readonly credentials: Credentials;
}

export function readEndpoint(options: unknown): Endpoint {
  const socket = read(options, 'socket');
  const host = asText(read(socket, 'host'));
  const port = asWhole(read(socket, 'port'));
  const path = asText(read(socket, 'path'));
  return {
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(path !== undefined && { path }),
    isTls: read(socket, 'tls') === true,
    credentials: {},
    ...readUrl(asText(read(options, 'url'))),
  };
}

/** Reads a URL as node-redis does: `redis:`, `rediss:`, and `unix:` with the path of a socket. */
function readUrl(url: string | undefined): Partial<Endpoint> {
  if (url === undefined) return {};
  // A host is all that the URL class wants of a socket's URL.
  const isUnix = url.startsWith('unix:');
  const readable = isUnix
    ? url.replace(/^unix:\/\/(?:([^/]*)@)?/, (_, info?: string) => `unix://${info ? `${info}@` : ''}socket`)
    : url;
  if (!URL.canParse(readable)) return {};
  const { hostname, port, protocol, username, password, pathname, searchParams } = new URL(readable);
  const host = hostname.replace(/^\[|\]$/g, '');
  const database = asWhole(isUnix ? searchParams.get('db') : pathname.slice(1));
  return {
    ...(isUnix ? { path: decodeURIComponent(pathname) } : host !== '' && { host }),
    ...(port !== '' && { port: Number(port) }),
    ...(database !== undefined && { database }),
    isTls: protocol === 'rediss:',
    credentials: {
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
    },
  };
}

export function placeOf({ host = 'localhost', port = DEFAULT_PORT, path }: Endpoint): ServerPlace {
  return path === undefined ? { host, port } : { path };
}

export function isUnnamed({ host, port, path }: Endpoint): boolean {
  return host === undefined && port === undefined && path === undefined;
}
