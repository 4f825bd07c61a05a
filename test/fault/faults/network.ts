import { startRedis } from '../../support/redis-server.js';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js';
import { waitFor } from '../../support/wait-for.js';
import { type Fault, type Scene, SILENT_MS } from '../fault.js';
import { redisTruth } from '../redis-truth.js';

/**
 * A server behind a proxy for each cell. The verb goes out together with a HELLO: that is what a fault is aimed at, so
 * that it spares what the library said before.
 */
async function behindProxies(
  strike: (proxy: TcpProxy) => void,
  heal?: (proxy: TcpProxy) => void,
): Promise<Scene> {
  const server = await startRedis();
  const truth = await redisTruth({ servers: [server], primary: () => server });
  const proxies: TcpProxy[] = [];
  return {
    truth,
    way: async () => {
      const proxy = await startTcpProxy(server);
      proxies.push(proxy);
      return { backend: proxy.url, strike: () => strike(proxy) };
    },
    heal: async () => {
      for (const proxy of proxies) heal?.(proxy);
      // What was held back is on its way: it arrives before the truth is asked for.
      await waitFor(() => proxies.every((proxy) => proxy.openConnections === 0 || heal === undefined), {
        deadlineMs: 10_000,
        what: 'what was held back to arrive',
      });
    },
    [Symbol.asyncDispose]: async () => {
      truth[Symbol.dispose]();
      for (const proxy of proxies) await proxy.stop();
      await server.stop();
    },
  };
}

export const NETWORK_FAULTS: readonly Fault[] = [
  {
    name: 'refused',
    sentence: 'nothing listens at the address any more, and open connections are reset',
    arrange: () =>
      behindProxies((proxy) => {
        proxy.refuseNew();
        proxy.cut();
      }),
  },
  {
    name: 'silent',
    sentence: 'the network swallows everything, both ways, and connections stay open',
    timeoutMs: SILENT_MS,
    arrange: () =>
      behindProxies(
        (proxy) => proxy.pause(),
        (proxy) => {
          proxy.cut();
          proxy.resume();
        },
      ),
  },
  {
    name: 'cut before it arrives',
    sentence: 'the connection is reset with the verb on its way: the server never gets it',
    arrange: () => behindProxies((proxy) => void proxy.cutBeforeForward({ command: 'hello' })),
  },
  {
    name: 'cut after it arrived',
    sentence: 'the server does it, and the connection is reset before the answer comes',
    arrange: () => behindProxies((proxy) => void proxy.dropNextReply({ command: 'hello' })),
  },
  {
    name: 'reply dropped',
    sentence: 'the server does it, and the answer never comes, on a connection that stays open',
    // A quarter of it is for reading back.
    timeoutMs: 4 * SILENT_MS,
    arrange: () => behindProxies((proxy) => void proxy.dropNextReply({ command: 'hello', outcome: 'hang' })),
  },
  {
    name: 'reply too late',
    sentence: 'the server does it, and the answer comes after the timeout',
    timeoutMs: SILENT_MS,
    arrange: () =>
      behindProxies(
        (proxy) => proxy.pause('down'),
        (proxy) => proxy.resume('down'),
      ),
  },
  {
    name: 'request too late',
    sentence: 'everything takes three times the timeout, each way',
    timeoutMs: SILENT_MS,
    arrange: () =>
      behindProxies(
        (proxy) => proxy.setRoundTripMs(6 * SILENT_MS),
        () => {},
      ),
  },
];
