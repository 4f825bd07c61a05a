import { systemClock } from '../../../lease/clock.js';
import { Deadline } from '../../../lease/deadline.js';
import { type ClientOptions, RedisClient } from '../client.js';
import { readClusterMasters } from '../cluster-masters.js';
import type { ConnectSettings } from '../connect-settings.js';
import { findPrimary, type Sentinels } from '../sentinel.js';
import { formatAddress, type RedisAddress, type RedisTarget } from '../target.js';
import { TransportError } from '../transport-error.js';

/** Finding the server must not take longer: a packet that was lost is sent again late, and a new attempt at once. */
const FIND_MS = 3_000;
const MAX_SEEN_MASTERS = 3;

/** Where the leases are: on the primary, or on all masters of a cluster. */
export interface FoundServers {
  readonly addresses: readonly RedisAddress[];
  readonly isCluster: boolean;
  /** Who named the primary, and how to go on listening to them. */
  readonly sentinels?: { readonly via: Sentinels; readonly settings: ConnectSettings };
}

/** Finds the servers of one target, each time anew: names are resolved and Sentinels asked again. */
export class ServerFinder {
  readonly #target: RedisTarget;
  readonly #options: ClientOptions;
  /** Some masters of the cluster that were seen before: they are asked when the servers of the URL are gone. */
  #seen: readonly RedisAddress[] = [];

  constructor(target: RedisTarget, options: ClientOptions) {
    this.#target = target;
    this.#options = options;
  }

  /** @throws `TransportError` or `LeaseError` when none answers, or not in time. */
  async find(signal: AbortSignal): Promise<FoundServers> {
    const { via } = this.#target;
    const deadline = Deadline.after(FIND_MS, systemClock);
    if (via.kind === 'servers') return this.#findByAsking(via.addresses, deadline, signal);
    const settings = { tls: this.#options.tls, login: { ...via, database: 0 }, signal };
    const primary = await findPrimary(via, settings, deadline).catch(because('no Sentinel answered'));
    return { addresses: [primary], isCluster: false, sentinels: { via, settings } };
  }

  async #findByAsking(
    addresses: readonly RedisAddress[],
    deadline: Deadline,
    signal: AbortSignal,
  ): Promise<FoundServers> {
    const known = new Set(addresses.map(formatAddress));
    const seen = this.#seen.filter((address) => !known.has(formatAddress(address)));
    const via = { kind: 'servers', addresses: [...addresses, ...seen] } as const;
    const client = new RedisClient({ ...this.#target, via }, this.#options);
    const close = () => client.close();
    signal.addEventListener('abort', close);
    try {
      const { view, address } = await client.call(
        { name: 'watch', kind: 'read', commands: [], deadline },
        'any',
      );
      if (view.mode !== 'cluster') return { addresses: [address], isCluster: false };
      const { masters } = await readClusterMasters(client);
      this.#seen = masters.slice(0, MAX_SEEN_MASTERS);
      return { addresses: masters, isCluster: true };
    } finally {
      signal.removeEventListener('abort', close);
      close();
    }
  }
}

/** Says which connection failed. */
export function because(what: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof TransportError)) throw error;
    const { reason, remedy, isTimeout } = error;
    throw new TransportError(false, { reason: `${what}: ${reason}`, remedy, isTimeout });
  };
}
