import { makeCertificates } from './certificates.js';
import { commonArgs, type RedisServer, startServer } from './redis-process.js';

export { type RedisCluster, startCluster } from './redis-cluster.js';
export type { RedisServer } from './redis-process.js';
export { type ReplicaPair, startReplicaPair } from './redis-replication.js';
export { type RedisSentinel, startSentinel } from './redis-sentinel.js';

export interface RedisOptions {
  /** More of the command line, such as `['--maxmemory', '1mb']`; wins over what the rig sets. */
  readonly args?: readonly string[];
  /** Listen on a unix socket too. */
  readonly unixSocket?: boolean;
  /** The default user's password. */
  readonly password?: string;
  /** Further users: name to ACL rules, such as `{ reader: 'on >secret ~* +get +pttl' }`. */
  readonly aclUsers?: Readonly<Record<string, string>>;
  /** TLS only, with a throw-away certificate for localhost and 127.0.0.1, or for these names. */
  readonly tls?: boolean | { readonly names: readonly string[] };
}

const SOCKET = 'redis.sock';

/** A standalone server, empty, on a free loopback port. */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const { args = [], unixSocket = false, password, aclUsers = {}, tls = false } = options;
  const certificates =
    tls === false ? undefined : await makeCertificates(tls === true ? undefined : tls.names);
  const users = Object.entries(aclUsers).flatMap(([name, rules]) => ['--user', name, ...rules.split(/\s+/)]);
  return startServer({
    password,
    tls: certificates,
    socketName: unixSocket ? SOCKET : undefined,
    files: () =>
      certificates
        ? { 'ca.crt': certificates.ca, 'server.crt': certificates.cert, 'server.key': certificates.key }
        : {},
    argv: (port, directory) => [
      ...commonArgs(port, directory),
      ...(certificates ? tlsArgs(port) : []),
      ...(unixSocket ? ['--unixsocket', SOCKET] : []),
      ...(password === undefined ? [] : ['--requirepass', password]),
      ...users,
      ...args,
    ],
  });
}

function tlsArgs(port: number): readonly string[] {
  return [
    ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
    ...['--tls-ca-cert-file', 'ca.crt', '--tls-cert-file', 'server.crt', '--tls-key-file', 'server.key'],
  ];
}
