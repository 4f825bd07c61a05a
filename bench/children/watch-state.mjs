// What the screen of `watch` knows, without drawing it: events in batches through the reducer, as the screen does it.
// Arguments: URL. Until its stdin ends; it then prints how many milliseconds after a handover that named its moment it
// was part of the state, one a line.

// Built, as it is shipped; it need not be built yet to be checked.
const dist = new URL('../../dist/', import.meta.url).href;
/** @type {typeof import('../../src/lease/clock.js')} */
const { systemClock } = await import(`${dist}lease/clock.js`);
/** @type {typeof import('../../src/operations/watch.js')} */
const { watchEvents } = await import(`${dist}operations/watch.js`);
/** @type {typeof import('../../src/providers/redis/index.js')} */
const { RedisLeaseProvider } = await import(`${dist}providers/redis/index.js`);
/** @type {typeof import('../../src/tui/event-pump.js')} */
const { pumpEvents } = await import(`${dist}tui/event-pump.js`);
/** @type {typeof import('../../src/tui/reducer.js')} */
const { firstState, reduce } = await import(`${dist}tui/reducer.js`);

const [, , url = ''] = process.argv;
const provider = new RedisLeaseProvider({ url });
/** @type {() => import('../../src/lease/backend.js').BackendSource} */
const source = () => ({ backend: url, foundBy: '--backend', scope: 'network' });
/** @type {import('../../src/lease/backend.js').Backend} */
const backend = {
  provider,
  reporter: provider,
  inspector: provider,
  readLease: (key) => provider.readLease(key),
  source,
  close: () => provider.close(),
};
const ending = new AbortController();
const context = { backend, clock: systemClock, signal: ending.signal };
/** @type {number[]} */
const latencies = [];
const size = { columns: 120, rows: 40 };
let state = firstState(
  { size, nowMs: Date.now(), source: source(), refusal: undefined, transferTtlMs: 15_000 },
  undefined,
);

pumpEvents(watchEvents(context, { threadTtlMs: 15_000, signal: ending.signal }), {
  monotonicMs: () => systemClock.monotonicMs(),
  onEvents: (events) => {
    ({ state } = reduce(state, { type: 'tick', nowMs: Date.now(), source: source() }));
    ({ state } = reduce(state, { type: 'events', events }));
    const now = process.hrtime.bigint();
    for (const event of events) {
      if (event.type !== 'transferred' || !event.owner.startsWith('sent-')) continue;
      latencies.push(Number(now - BigInt(event.owner.slice('sent-'.length))) / 1e6);
    }
  },
  onEnd: () => {},
  onError: (error) => {
    throw error;
  },
});
process.stdin.resume().once('end', () => {
  process.stdout.write(`${latencies.join('\n')}\n`, () => process.exit(0));
});
