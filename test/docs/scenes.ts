import { openRedisSite, type RedisSite, recordOf } from '../cli/lease-site.js';
import { writeHistory } from '../redis/thread-events.js';

const THREAD = 'user-42\0t-1';
const TTL_MS = 15_000;
const RENEWED_EVERY_MS = 5_000;

/** What is the matter when a block of a page is run, by the name that the page gives it. What is returned ends it. */
const SCENES: Readonly<Record<string, (site: RedisSite) => Promise<() => void>>> = {
  nothing: async () => () => {},

  /** The three leases of the README: one thread is silent, one lease is late, one never ends. */
  incident: async (site) => {
    await site.client.set(recordOf('user-9\0intro'), 'run-0c11');
    await site.hold('user-7\0billing', 'run-91aa', 8_500);
    await site.hold(THREAD, 'run-7f3c', 12_900);
    await writeHistory(site.client, THREAD, [
      [550_000, { type: 'run-registered', runId: 'run-7f3c', sourceId: '3f2a91c7' }],
      ...Array.from({ length: 38 }, (_, at) => {
        const part = { type: 'stream-part', runId: 'run-7f3c', sourceId: '3f2a91c7' } as const;
        return [540_000 - at * 1_000, part] as const;
      }),
      [47_000, { type: 'signal-enqueued', runId: 'run-7f3c' }],
      [45_000, { type: 'signal-enqueued', runId: 'run-7f3c' }],
    ]);
    return renewing(site, THREAD);
  },

  /** A key of scripts that another job holds. */
  deploying: async (site) => {
    await site.hold('deploy', 'job-1', 42_000);
    return () => {};
  },

  /** The thread's lease is gone, and its run went on until a moment ago. */
  lapsed: async (site) => {
    await writeHistory(site.client, THREAD, [
      [90_000, { type: 'run-registered', runId: 'run-7f3c', sourceId: '3f2a91c7' }],
      [3_000, { type: 'stream-part', runId: 'run-7f3c', sourceId: '3f2a91c7' }],
    ]);
    return () => {};
  },

  /** The process that held the thread is gone, and so is its lease. */
  crashed: async (site) => {
    await writeHistory(site.client, THREAD, [
      [190_000, { type: 'run-registered', runId: 'run-7f3c', sourceId: '3f2a91c7' }],
      [120_000, { type: 'stream-part', runId: 'run-7f3c', sourceId: '3f2a91c7' }],
    ]);
    return () => {};
  },

  /** Two processes produce on one thread; one of them has the lease. */
  doubled: async (site) => {
    await site.hold(THREAD, 'run-88d0', TTL_MS);
    await writeHistory(site.client, THREAD, [
      [60_000, { type: 'run-registered', runId: 'run-7f3c', sourceId: '3f2a91c7' }],
      [20_000, { type: 'run-registered', runId: 'run-88d0', sourceId: 'b81c04de' }],
      [3_000, { type: 'stream-part', runId: 'run-88d0', sourceId: 'b81c04de' }],
      [2_000, { type: 'stream-part', runId: 'run-7f3c', sourceId: '3f2a91c7' }],
      [1_000, { type: 'stream-part', runId: 'run-88d0', sourceId: 'b81c04de' }],
    ]);
    return renewing(site, THREAD);
  },

  /** A lease that was set by hand, without an expiry, long after its run has ended. */
  forever: async (site) => {
    await site.client.set(recordOf(THREAD), 'run-7f3c');
    await writeHistory(site.client, THREAD, [
      [7_300_000, { type: 'run-registered', runId: 'run-7f3c', sourceId: '3f2a91c7' }],
      [7_200_000, { type: 'stream-part', runId: 'run-7f3c', sourceId: '3f2a91c7' }],
    ]);
    return () => {};
  },

  /** Two pods before one of them is drained: three threads of one process, one of another. */
  pods: async (site) => {
    for (const [thread, process, owner] of [
      ['t-1', '3f2a91c7', 'run-7f3c'],
      ['t-2', '3f2a91c7', 'run-88d0'],
      ['t-3', 'b81c04de', 'run-91aa'],
    ] as const) {
      await site.hold(`user-42\0${thread}`, owner, TTL_MS);
      await writeHistory(site.client, `user-42\0${thread}`, [
        [30_000, { type: 'run-registered', runId: owner, sourceId: process }],
        [1_000, { type: 'stream-part', runId: owner, sourceId: process }],
      ]);
    }
    return () => {};
  },
};

/** Renews a lease as a live owner does. */
function renewing(site: RedisSite, key: string): () => void {
  const renew = () => void site.client.pexpire(recordOf(key), TTL_MS);
  let timer = setTimeout(() => {
    renew();
    timer = setInterval(renew, RENEWED_EVERY_MS);
  }, 2_900);
  return () => clearInterval(timer);
}

/** A Redis on which one scene after the other is made. */
export interface Stage extends AsyncDisposable {
  readonly site: RedisSite;
  /** Clears it, and makes another scene of it. */
  play(scene: string): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const site = await openRedisSite();
  let end = () => {};
  return {
    site,
    play: async (name) => {
      end();
      await site.clear();
      const scene = SCENES[name];
      if (!scene) throw new Error(`There is no scene ${name}: there are ${Object.keys(SCENES).join(', ')}`);
      end = await scene(site);
    },
    async [Symbol.asyncDispose]() {
      end();
      await site[Symbol.asyncDispose]();
    },
  };
}
