import { nextTick } from 'node:process';
import type { LeaseChange, ListOptions } from '../../../lease/inspector.js';
import { type PollOptions, pollLeases } from '../../../lease/poll-leases.js';
import { assertPrimary } from '../call-answer.js';
import { type Call, type CallAnswer, RedisClient, type Route } from '../client.js';
import { listLeases } from '../listing.js';
import { readOwnerAndTtl } from '../replies.js';
import { ScriptRunner } from '../script-runner.js';
import type { TrackingTarget } from './tracking.js';

/** Watches servers that do not tell what changes, by looking every two seconds. */
export async function* pollServers(
  { target, options, names, keyPrefix }: TrackingTarget,
  pollOptions: PollOptions,
): AsyncGenerator<LeaseChange, void, undefined> {
  const client = new CountingClient(target, { ...options, kept: true });
  const scripts = new ScriptRunner(client, true);
  const source = {
    async readLease(key: string) {
      const answer = await scripts.read(names.recordOf(key));
      const lease = readOwnerAndTtl('read', key, answer.lease);
      if (lease === undefined) assertPrimary(answer, 'watch');
      return lease;
    },
    listLeases: (listing?: ListOptions) => listLeases(client, scripts, keyPrefix, listing ?? {}),
  };
  try {
    yield* pollLeases(source, { ...pollOptions, commandCount: () => client.commandCount });
  } finally {
    client.close();
  }
}

/** Counts what it sends, to say what polling costs. Redirections, which are rare, are left out. */
class CountingClient extends RedisClient {
  commandCount = 0;
  #isHelloCounted = false;

  override call(call: Call, route: Route): Promise<CallAnswer> {
    this.commandCount += call.commands.length;
    // Calls of one tick go out together, after one HELLO.
    if (!this.#isHelloCounted) {
      this.#isHelloCounted = true;
      this.commandCount += 1;
      nextTick(() => {
        this.#isHelloCounted = false;
      });
    }
    return super.call(call, route);
  }
}
