import { InvalidConfigError } from '../lease/errors.js';
import { type RecordedCall, reasonOf } from './call.js';
import type { Endpoint } from './endpoint.js';
import type { ProviderProcess } from './options.js';
import {
  isProcessAnswer,
  isProcessReady,
  type ProcessAnswer,
  type ProcessOrder,
} from './process-protocol.js';

/** How often the clocks are compared: the closest comparison counts. */
const CLOCK_READINGS = 30;

/** How long a process may take to start, in milliseconds. */
const START_MS = 30_000;

/** Another process as an endpoint. */
export interface ProcessEndpoint extends Endpoint {
  stop(): void;
}

type Told<Order> = Order extends unknown ? Omit<Order, 'id'> : never;

/** Waits until a process listens, and compares its clock with ours. `nowMs` is the run's clock. */
export async function openProcess(
  child: ProviderProcess,
  place: number,
  nowMs: () => number,
): Promise<ProcessEndpoint> {
  const line = new ProcessLine(child, place);
  const clock = await line.ready
    .then(() => compareClocks(line, nowMs))
    .catch((error: unknown) => {
      child.kill('SIGKILL');
      throw error;
    });
  const name = `process ${place}`;
  const here = (calls: readonly RecordedCall[] = []) =>
    calls.map((call) => ({
      ...call,
      place,
      client: call.client === name ? name : `${call.client} in ${name}`,
      startMs: call.startMs - clock.mostAheadMs,
      endMs: call.endMs - clock.leastAheadMs,
    }));
  return {
    name,
    isElsewhere: true,
    run: async (clients) => here((await line.tell({ order: 'run', clients })).calls),
    loop: async (clients) => {
      const { id } = await line.tell({ order: 'loop', clients });
      return { stop: async () => here((await line.tell({ order: 'stop', loop: id })).calls) };
    },
    stop: () => void child.kill('SIGKILL'),
  };
}

/** Orders and their answers. */
class ProcessLine {
  /** Settles once the process listens. */
  readonly ready: Promise<void>;
  readonly #child: ProviderProcess;
  readonly #waiting = new Map<number, PromiseWithResolvers<ProcessAnswer>>();
  #lastId = 0;
  #ended: Error | undefined;

  constructor(child: ProviderProcess, place: number) {
    this.#child = child;
    const ready = Promise.withResolvers<void>();
    const end = (reason: unknown) => {
      const how =
        typeof reason === 'number' ? `with ${reason}` : reason === null ? 'by a signal' : reasonOf(reason);
      this.#ended = new InvalidConfigError(
        `Process ${place} of the run ended (${how}) before it was told to`,
      );
      ready.reject(this.#ended);
      for (const { reject } of this.#waiting.values()) reject(this.#ended);
    };
    const timer = setTimeout(() => end(`it did not listen within ${START_MS} ms`), START_MS);
    this.ready = ready.promise.finally(() => clearTimeout(timer));
    this.ready.catch(() => {});
    child.on('exit', end);
    child.on('error', end);
    child.on('message', (message) => {
      if (isProcessReady(message)) ready.resolve();
      else if (isProcessAnswer(message)) this.#hear(message);
    });
  }

  async tell(order: Told<ProcessOrder>): Promise<ProcessAnswer> {
    if (this.#ended) throw this.#ended;
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = Promise.withResolvers<ProcessAnswer>();
    this.#waiting.set(id, answer);
    this.#child.send({ ...order, id });
    return answer.promise;
  }

  #hear(answer: ProcessAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (answer.problem === undefined) waiting?.resolve(answer);
    else waiting?.reject(new Error(`A process of the run failed: ${answer.problem}`));
  }
}

/** Between which bounds its clock is ahead of ours: a reading lies between asking for it and hearing it. */
async function compareClocks(line: ProcessLine, nowMs: () => number) {
  let mostAheadMs = Number.POSITIVE_INFINITY;
  let leastAheadMs = Number.NEGATIVE_INFINITY;
  for (let reading = 0; reading < CLOCK_READINGS; reading += 1) {
    const askedMs = nowMs();
    const { nowMs: thereMs } = await line.tell({ order: 'clock' });
    const heardMs = nowMs();
    if (thereMs === undefined) throw new Error('A process of the run did not say what time it is');
    mostAheadMs = Math.min(mostAheadMs, thereMs - askedMs);
    leastAheadMs = Math.max(leastAheadMs, thereMs - heardMs);
  }
  return { mostAheadMs, leastAheadMs };
}
