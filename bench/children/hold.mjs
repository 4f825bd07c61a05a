// One process that holds many leases by `holdLease`. Arguments: URL, leases, TTL and how long, in milliseconds. Prints JSON: the timers
// and the CPU seconds of each second, and how far apart the renewals of a lease were, in milliseconds.

// Built, as it is shipped; it need not be built yet to be checked.
const dist = new URL('../../dist/', import.meta.url).href;
/** @type {typeof import('../../src/index.js')} */
const { holdLease } = await import(`${dist}index.js`);
/** @type {typeof import('../../src/providers/redis/index.js')} */
const { RedisLeaseProvider } = await import(`${dist}providers/redis/index.js`);

const [, , url = '', ...numbers] = process.argv;
const [leases = 0, ttlMs = 0, forMs = 0] = numbers.map(Number);

/** @type {number[]} */
const apartMs = [];
class Watched extends RedisLeaseProvider {
  /** @type {Map<string, number>} */
  #sentMs = new Map();

  /**
   * @override
   * @type {InstanceType<typeof RedisLeaseProvider>['acquireLease']}
   */
  async acquireLease(key, owner, ttl) {
    this.#sentMs.set(key, performance.now());
    return super.acquireLease(key, owner, ttl);
  }

  /**
   * @override
   * @type {InstanceType<typeof RedisLeaseProvider>['renewLease']}
   */
  async renewLease(key, owner, ttl) {
    const nowMs = performance.now();
    apartMs.push(nowMs - (this.#sentMs.get(key) ?? nowMs));
    this.#sentMs.set(key, nowMs);
    return super.renewLease(key, owner, ttl);
  }
}

const provider = new Watched({ url });
const ending = new AbortController();
for (let n = 0; n < leases; n += 1) {
  const held = await holdLease(provider, `held-${n}`, 'me', { ttlMs, signal: ending.signal });
  if (!held.acquired) throw new Error(`held-${n} is held`);
}
/** @type {{ timers: number, cpuSeconds: number }[]} */
const seconds = [];
let cpu = process.cpuUsage();
const look = setInterval(() => {
  const { user, system } = process.cpuUsage(cpu);
  cpu = process.cpuUsage();
  const timers = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  seconds.push({ timers, cpuSeconds: (user + system) / 1e6 });
}, 1_000);
setTimeout(() => {
  clearInterval(look);
  process.stdout.write(JSON.stringify({ seconds, apartMs }), () => process.exit(0));
}, forMs);
