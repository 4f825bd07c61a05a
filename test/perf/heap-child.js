/**
 * Prints how many bytes of heap a lease costs: while every lease is listed, or while every lease is watched. Arguments: how,
 * URL, number of leases. Wants `--expose-gc`.
 */

// Built, as it is shipped; it need not be built yet to be checked.
const dist = new URL('../../dist/', import.meta.url).href;
/** @type {typeof import('../../src/lease/clock.js')} */
const { systemClock } = await import(`${dist}lease/clock.js`);
/** @type {typeof import('../../src/operations/watch.js')} */
const { watchEvents } = await import(`${dist}operations/watch.js`);
/** @type {typeof import('../../src/providers/redis/index.js')} */
const { RedisLeaseProvider } = await import(`${dist}providers/redis/index.js`);

const [, , how, url = '', count = ''] = process.argv;
const provider = new RedisLeaseProvider({ url });
const ending = new AbortController();

async function heapInUse() {
  // What is only about to be forgotten must not count.
  for (let n = 0; n < 3; n += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}

async function list() {
  let listed = 0;
  let heap = 0;
  for await (const _ of provider.listLeases()) {
    listed += 1;
    // Before the last: what a listing keeps is forgotten with it.
    if (listed === Number(count)) heap = await heapInUse();
  }
  return heap;
}

async function watch() {
  /** @type {import('../../src/lease/backend.js').Backend} */
  const backend = {
    provider,
    reporter: provider,
    inspector: provider,
    readLease: (key) => provider.readLease(key),
    source: () => ({ backend: url, foundBy: '--backend', scope: 'network' }),
    close: () => provider.close(),
  };
  const { signal } = ending;
  const events = watchEvents({ backend, clock: systemClock, signal }, { threadTtlMs: 15_000, signal });
  for (;;) {
    const { value } = await events.next();
    if (value?.type === 'backend-up') return heapInUse();
  }
}

// What is loaded and compiled once is not a lease's.
await provider.getLeaseOwner('nobody');
for await (const _ of provider.listLeases()) break;
const before = await heapInUse();
const after = how === 'list' ? await list() : await watch();
process.stdout.write(String((after - before) / Number(count)), () => process.exit(0));
