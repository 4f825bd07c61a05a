import { resolveLeaseProvider } from '../lease/detect.js';
import { reasonOf } from './call.js';
import { type Endpoint, localEndpoint, type RunningClients } from './endpoint.js';
import type { ProviderFactory } from './options.js';
import { isProcessOrder, type ProcessAnswer, type ProcessOrder } from './process-protocol.js';
import { DEFAULT_CALL_TIMEOUT_MS, realTime } from './time.js';

/** The way to the process that commands this one: `process` of a process that was started by `fork`. */
export interface ProcessChannel {
  send?: ((message: object) => unknown) | undefined;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  once(event: 'disconnect', listener: () => void): unknown;
}

/** Options of {@link serveLeaseProvider}. */
export interface ServeOptions {
  /** By default `process`. */
  readonly channel?: ProcessChannel | undefined;
  /** How long a call may take, in milliseconds; 5000 by default. */
  readonly callTimeoutMs?: number | undefined;
}

/**
 * The other process of a run: makes calls of its own instance as it is told, until its parent is gone. It is started by
 * `fork` in `startProcess`, from a file of its own or, as here, from the same.
 *
 * @example
 * ```ts
 * import { fork } from 'node:child_process';
 * import { RedisLeaseProvider } from 'mastra-lease/redis';
 * import { runConformance, serveLeaseProvider } from 'mastra-lease/testing';
 *
 * const open = () => new RedisLeaseProvider({ url: 'redis://127.0.0.1:6379' });
 * if (process.send) await serveLeaseProvider(open);
 * else {
 *   const startProcess = () => fork(import.meta.filename);
 *   const { processes } = await runConformance(open, { startProcess, clauses: ['two-instances'] });
 *   processes; // => 2
 * }
 * ```
 */
export async function serveLeaseProvider(
  factory: ProviderFactory,
  { channel = process, callTimeoutMs = DEFAULT_CALL_TIMEOUT_MS }: ServeOptions = {},
): Promise<void> {
  const tell = (message: object) => channel.send?.(message);
  if (!channel.send) {
    throw new Error(
      'Expected a process that was started by fork of node:child_process: nobody can tell it anything',
    );
  }
  const gone = new Promise<void>((resolve) => channel.once('disconnect', resolve));
  const resolution = resolveLeaseProvider(await factory());
  if (resolution.kind === 'none') {
    throw new Error(`Expected a LeaseProvider, it lacks ${resolution.missing.join(', ')}`);
  }
  let order = 0;
  const endpoint = localEndpoint('process', resolution.provider, {
    ...realTime,
    nextOrder: () => {
      order += 1;
      return order;
    },
    callTimeoutMs,
  });
  const loops = new Map<number, RunningClients>();
  channel.on('message', (message) => {
    if (!isProcessOrder(message)) return;
    const { id } = message;
    obey(endpoint, loops, message).then(
      (answer) => tell({ id, ...answer }),
      (error: unknown) => tell({ id, problem: reasonOf(error) }),
    );
  });
  tell({ ready: true });
  await gone;
}

async function obey(
  endpoint: Endpoint,
  loops: Map<number, RunningClients>,
  order: ProcessOrder,
): Promise<Omit<ProcessAnswer, 'id'>> {
  switch (order.order) {
    case 'clock':
      return { nowMs: realTime.nowMs() };
    case 'run':
      return { calls: await endpoint.run(order.clients) };
    case 'loop':
      loops.set(order.id, await endpoint.loop(order.clients));
      return {};
    case 'stop': {
      const calls = await loops.get(order.loop)?.stop();
      loops.delete(order.loop);
      return { calls: calls ?? [] };
    }
  }
}
