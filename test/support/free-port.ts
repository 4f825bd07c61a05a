import { createServer } from 'node:net';

/** Redis Cluster talks to itself on this many ports above the client port. */
const BUS_OFFSET = 10_000;
/** Ports and their bus ports stay below 32768, where Linux starts to hand out ports to outgoing connections. */
const FIRST_PORT = 10_000;
const PORT_PAIRS = 6_000;

const issued = new Set<number>();

/**
 * A loopback port on which, and on whose cluster bus port, nothing listens. Never the same one twice in a process:
 * the port of a server that was killed stays its own. Odd and even workers take odd and even ports.
 */
export async function findFreePort(): Promise<number> {
  const parity = Number(process.env.VITEST_POOL_ID ?? 0) % 2;
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = FIRST_PORT + 2 * Math.floor(Math.random() * PORT_PAIRS) + parity;
    if (issued.has(port)) continue;
    issued.add(port);
    if ((await isFree(port)) && (await isFree(port + BUS_OFFSET))) return port;
  }
  throw new Error('Found no free loopback port in 100 attempts');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
