import type { ClientFacts } from './client-facts.js';
import { RedisConnectionFacts } from './connection-facts.js';
import { readTls } from './tls-facts.js';
import { asList, asText, asWhole, isObject, read, readPath } from './values.js';

/** Whether a value is the client of Mastra's `ValkeyStreamsPubSub`: a wrapper that keeps the options of a GlideClient. */
export function isValkeyStreamsClient(value: unknown): value is object {
  const options = read(value, 'options');
  return (
    isObject(value) &&
    typeof read(value, 'isOpen') === 'boolean' &&
    typeof read(value, 'command') === 'function' &&
    (typeof read(options, 'url') === 'string' || Array.isArray(read(options, 'addresses')))
  );
}

/** Reads it as the wrapper does: addresses before the URL, and a URL's password as it stands there. */
export function readValkeyStreams(client: object): ClientFacts {
  const options = read(client, 'options');
  const addresses = asList(read(options, 'addresses'));
  const written = asText(read(options, 'url'));
  const url = written !== undefined && URL.canParse(written) ? new URL(written) : undefined;
  const servers =
    addresses.length > 0 ? addresses : [{ host: url?.hostname.replace(/^\[|\]$/g, ''), port: url?.port }];
  const advanced = readPath(options, 'advancedConfiguration', 'tlsAdvancedConfiguration');
  const { tls, limits } = read(options, 'useTLS') === true ? readTls(tlsOptions(advanced)) : { limits: [] };
  const username = asText(readPath(options, 'credentials', 'username')) ?? asText(url?.username);
  const password = asText(readPath(options, 'credentials', 'password')) ?? asText(url?.password);
  return {
    client: 'valkey-glide',
    connection: new RedisConnectionFacts({
      topology: 'single',
      servers: servers.slice(0, 1).map((server) => ({
        host: asText(read(server, 'host')) ?? 'localhost',
        port: asWhole(read(server, 'port')) ?? 6379,
      })),
      database: asWhole(read(options, 'databaseId')) ?? asWhole(url?.pathname.slice(1)) ?? 0,
      ...(tls && { tls }),
      ...(username !== undefined && password !== undefined && { username }),
      ...(password !== undefined && { password }),
      limits: [...limits, ...(servers.length > 1 ? ['several addresses'] : [])],
    }),
    clientKeyPrefix: '',
    builtWithoutUrl: addresses.length === 0 && written === undefined,
  };
}

/** GLIDE's names for TLS, as Node has them. */
function tlsOptions(advanced: unknown): object {
  return { ca: read(advanced, 'rootCertificates'), rejectUnauthorized: read(advanced, 'insecure') !== true };
}
