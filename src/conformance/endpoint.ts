import { setImmediate } from 'node:timers/promises';
import type { LeaseProvider } from '../lease/provider.js';
import { type CallPlan, type CallSetting, isAcquired, makeCall, type RecordedCall } from './call.js';

/** A call of a plan, and how long its client rests before it: turns of the event loop, then milliseconds. */
export interface Step extends CallPlan {
  readonly restTurns?: number;
  readonly restMs?: number;
}

/** A client that makes its calls one after the other. */
export interface ClientPlan {
  readonly client: string;
  readonly steps: readonly Step[];
}

/** Clients that go through their steps over and over. */
export interface RunningClients {
  /** Lets each finish its call, and answers all calls that were made. */
  stop(): Promise<readonly RecordedCall[]>;
}

/** Where calls are made: an instance in this process, or another process. */
export interface Endpoint {
  readonly name: string;
  /** Whether it is another process. */
  readonly isElsewhere: boolean;
  /** Runs clients at the same time, each to its end. */
  run(clients: readonly ClientPlan[]): Promise<readonly RecordedCall[]>;
  /** Runs clients over and over, each until it acquires something; resolves when each has made its first call. */
  loop(clients: readonly ClientPlan[]): Promise<RunningClients>;
}

/** How a place makes calls and lets time pass. */
export interface PlaceSetting extends CallSetting {
  readonly sleep: (ms: number) => Promise<void>;
}

/** The most calls that clients which run over and over keep; the oldest are dropped. */
const KEPT_CALLS = 20_000;

/** A provider of this process as an endpoint. */
export function localEndpoint(name: string, provider: LeaseProvider, setting: PlaceSetting): Endpoint {
  return {
    name,
    isElsewhere: false,
    run: async (clients) =>
      (await Promise.all(clients.map((plan) => runClient(provider, plan, setting)))).flat(),
    loop: (clients) => loopClients(provider, clients, setting),
  };
}

/** Makes a client's calls. The first one begins before this returns, unless its plan says to rest. */
async function runClient(
  provider: LeaseProvider,
  { client, steps }: ClientPlan,
  setting: PlaceSetting,
): Promise<readonly RecordedCall[]> {
  const calls: RecordedCall[] = [];
  for (const step of steps) {
    for (let turn = 0; turn < (step.restTurns ?? 0); turn += 1) await setImmediate();
    if (step.restMs) await setting.sleep(step.restMs);
    calls.push(await makeCall(provider, client, step, setting));
  }
  return calls;
}

async function loopClients(
  provider: LeaseProvider,
  clients: readonly ClientPlan[],
  setting: PlaceSetting,
): Promise<RunningClients> {
  let isStopped = false;
  const calls: RecordedCall[] = [];
  const looping = clients.map(async (plan) => {
    for (let hasAcquired = false; !isStopped && !hasAcquired; ) {
      // A provider that answers within the turn would let nobody else have theirs.
      await setImmediate();
      const made = await runClient(provider, plan, setting);
      hasAcquired = made.some(isAcquired);
      calls.push(...made);
      if (calls.length > 2 * KEPT_CALLS) calls.splice(0, calls.length - KEPT_CALLS);
    }
  });
  const ended = Promise.all(looping);
  ended.catch(() => {});
  await Promise.race([ended, firstCalls(() => calls.length >= clients.length)]);
  return {
    async stop() {
      isStopped = true;
      await ended;
      return calls;
    },
  };
}

async function firstCalls(isDone: () => boolean): Promise<void> {
  while (!isDone()) await setImmediate();
}
