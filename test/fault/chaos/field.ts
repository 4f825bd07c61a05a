import { join } from 'node:path';
import { seededRandom } from '../../../src/conformance/random.js';
import { startRedis } from '../../support/redis-server.js';
import { startTcpProxy } from '../../support/tcp-proxy.js';
import { makeTempDir } from '../../support/temp-dir.js';
import { Contender } from './contenders.js';
import type { Field } from './disturbances.js';

const CONTENDERS = 8;

/** A server, and eight contenders that each reach it by a line of their own. */
export async function startField(seed: number): Promise<Field & AsyncDisposable> {
  const directory = await makeTempDir();
  const ledger = join(directory.path, 'ledger');
  const server = await startRedis();
  const proxies = await Promise.all(Array.from({ length: CONTENDERS }, () => startTcpProxy(server)));
  const contenders = proxies.map(
    ({ url }, index) => new Contender(index, { url, ledger, random: seededRandom(seed, index + 1) }),
  );
  return {
    server,
    admin: await server.client(),
    contenders,
    proxies,
    ledger,
    random: seededRandom(seed),
    frozen: new Map(),
    [Symbol.asyncDispose]: async () => {
      for (const proxy of proxies) await proxy.stop();
      await server.stop();
      await directory.remove();
    },
  };
}

/** Lets everybody contend while `work` goes on; resolves when the last run has ended. */
export async function contendDuring<Result>(
  { contenders }: Field,
  work: () => Promise<Result>,
): Promise<Result> {
  const contending = Promise.all(contenders.map((contender) => contender.contend()));
  const result = await work();
  for (const contender of contenders) contender.stop();
  await contending;
  return result;
}
