import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RedisServer, startRedis } from '../../support/redis-server.js';
import { makeTempDir } from '../../support/temp-dir.js';
import { type Fault, type Scene, SECRET, SILENT_MS, type Way } from '../fault.js';
import { redisTruth } from '../redis-truth.js';

interface Options {
  readonly server?: Parameters<typeof startRedis>[0];
  readonly way: (server: RedisServer, caFile: string) => Way;
}

/** A server that works, and an address that does not lead there. */
async function misnamed({ server: options, way }: Options): Promise<Scene> {
  const server = await startRedis({ password: SECRET, ...options });
  const truth = await redisTruth({ servers: [server], primary: () => server });
  const directory = await makeTempDir();
  const caFile = join(directory.path, 'ca.pem');
  await writeFile(caFile, server.tls?.ca ?? '');
  return {
    truth,
    way: async () => way(server, caFile),
    [Symbol.asyncDispose]: async () => {
      truth[Symbol.dispose]();
      await directory.remove();
      await server.stop();
    },
  };
}

export const NAME_FAULTS: readonly Fault[] = [
  {
    name: 'unknown host',
    sentence: 'the host name does not resolve',
    arrange: () => misnamed({ way: () => ({ backend: `redis://:${SECRET}@no-such-host.invalid:6379` }) }),
  },
  {
    name: 'certificate of another name',
    sentence: "the server's certificate is for another name",
    arrange: () =>
      misnamed({
        server: { tls: { names: ['cluster.example'] } },
        way: ({ url, tls }, caFile) => ({
          backend: url,
          args: ['--tls-ca', caFile],
          ...(tls && { tls: { ca: tls.ca } }),
        }),
      }),
  },
  {
    name: 'unknown authority',
    sentence: "the server's certificate is signed by nobody who is trusted here",
    arrange: () => misnamed({ server: { tls: true }, way: ({ url }) => ({ backend: url }) }),
  },
  {
    name: 'TLS to a plain server',
    sentence: 'rediss:// leads to a server that speaks no TLS',
    timeoutMs: SILENT_MS,
    arrange: () => misnamed({ way: ({ url }) => ({ backend: url.replace('redis:', 'rediss:') }) }),
  },
  {
    name: 'plain to a TLS server',
    sentence: 'redis:// leads to a server that speaks TLS only',
    timeoutMs: SILENT_MS,
    arrange: () =>
      misnamed({
        server: { tls: true },
        way: ({ host, port }) => ({ backend: `redis://${host}:${port}` }),
      }),
  },
];
