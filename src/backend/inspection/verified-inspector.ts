import { randomUUID } from 'node:crypto';
import { isLeaseError, UnverifiedError } from '../../lease/errors.js';
import type { Lease, LeaseInspector, ListOptions } from '../../lease/inspector.js';
import type { LeaseProvider } from '../../lease/provider.js';
import { LOOKS_AGAIN, pauseBeforeLook } from './look-again.js';
import { readSeenLease } from './seen-lease.js';
import { shown } from './shown.js';

/** What a verified inspector is made of. */
export interface VerifiedInspectorOptions {
  /** What can list, but may look at another place than the application does. */
  readonly inspector: LeaseInspector;
  /** The application's provider, by which the inspector is verified. */
  readonly provider: LeaseProvider;
  /** The inspector's backend as it is printed. */
  readonly label: string;
  /** The prefix that the inspector lists, where it has one. */
  readonly keyPrefix?: string | undefined;
  /** Whether prefix and connection came from the provider itself, so that an empty listing means something. */
  readonly isTrusted: boolean;
}

/** What a scratch lease through the application's provider showed. */
export type ProbeResult = { readonly ok: true } | { readonly ok: false; readonly why: string };

/** How many listed leases the provider is asked about at most, in one listing. */
const MAX_SAMPLES = 8;

/** After a sample, this many times as many leases go by before the next: a long listing is sampled all along. */
const SPREAD = 4;

/** How many leases may wait for the first that can be compared. */
const MAX_WAITING = 1_000;

const PROBE_TTL_MS = 2_000;

/**
 * An inspector that is believed only as far as the application's own provider agrees with it. A listing yields nothing
 * before the provider has named the owner of a listed lease, goes on comparing a sample, and ends with
 * `ERR_LEASE_UNVERIFIED` at the first lasting difference. An empty one, or one of leases that were all gone when they
 * were compared, proves nothing: it ends so too, unless the inspector is trusted or was once seen to agree.
 */
export class VerifiedInspector implements LeaseInspector {
  readonly #inspector: LeaseInspector;
  readonly #provider: LeaseProvider;
  readonly #isTrusted: boolean;
  /** Where it looks, in words. */
  readonly #place: string;
  #hasAgreed = false;

  constructor({ inspector, provider, label, keyPrefix, isTrusted }: VerifiedInspectorOptions) {
    this.#inspector = inspector;
    this.#provider = provider;
    this.#isTrusted = isTrusted;
    this.#place = keyPrefix === undefined ? label : `${shown(keyPrefix)} in ${label}`;
  }

  /** Whether the provider has named the owner of a lease that this inspector sees. */
  get hasAgreed(): boolean {
    return this.#hasAgreed;
  }

  /** Whether nothing seen there means that the application has nothing. */
  get isBelieved(): boolean {
    return this.#isTrusted || this.#hasAgreed;
  }

  /**
   * The lease of `key` as the provider knows it.
   *
   * @throws `ERR_LEASE_UNVERIFIED` when its time left cannot be told, or when provider and inspector differ on whether
   * anybody holds it.
   */
  async readLease(key: string): Promise<Lease | undefined> {
    const seen = await readSeenLease(this.#provider, this.#inspector, key);
    if (seen === undefined) return undefined;
    const { remainingMs } = seen;
    if (remainingMs !== undefined) return { ...seen, remainingMs };
    throw new UnverifiedError(
      `${shown(key)} is held by ${shown(seen.owner)}, says the application; how long is left cannot be seen under ${this.#place}`,
      { remedy: REMEDY },
    );
  }

  async *listLeases(options?: ListOptions): AsyncGenerator<Lease> {
    let isBelieved = false;
    let waiting: Lease[] = [];
    let samples = 0;
    let nextSample = 0;
    let listed = 0;
    for await (const lease of this.#inspector.listLeases(options)) {
      const isSample = isComparable(lease) && samples < MAX_SAMPLES && (!isBelieved || listed >= nextSample);
      listed += 1;
      let shownLease: Lease | undefined = lease;
      if (isSample) {
        samples += 1;
        nextSample = listed * SPREAD;
        const compared = await this.#compare(lease);
        options?.signal?.throwIfAborted();
        isBelieved ||= compared.agrees;
        shownLease = compared.lease;
      }
      if (!isBelieved && (samples === MAX_SAMPLES || waiting.length === MAX_WAITING)) {
        this.#assertEmptyMeansEmpty(listed);
        isBelieved = true;
      }
      if (shownLease) waiting.push(shownLease);
      if (!isBelieved) continue;
      yield* waiting;
      waiting = [];
    }
    if (!isBelieved) this.#assertEmptyMeansEmpty(listed);
    yield* waiting;
  }

  /**
   * Takes one scratch lease through the application's provider, looks for it by the inspector, and gives it back: after
   * `ok`, an empty listing is believed. What cannot be given back ends by itself after two seconds.
   */
  async probe(): Promise<ProbeResult> {
    const key = `mastra-lease-probe:${randomUUID()}`;
    const owner = randomUUID();
    const { acquired } = await this.#provider.acquireLease(key, owner, PROBE_TTL_MS);
    if (!acquired) return { ok: false, why: 'the application was refused a lease that nobody else can have' };
    try {
      const why = await this.#lookFor(key, owner);
      if (why !== undefined) return { ok: false, why };
      this.#hasAgreed = true;
      return { ok: true };
    } finally {
      await this.#provider.releaseLease(key, owner).catch(() => {});
    }
  }

  /** Why a lease that the application has just taken is not seen; `undefined` when it is. */
  async #lookFor(key: string, owner: string): Promise<string | undefined> {
    let why = `a lease that the application took is not under ${this.#place}`;
    for (let looks = 0; looks <= LOOKS_AGAIN; looks += 1) {
      try {
        const seen = await this.#inspector.readLease(key);
        if (seen?.owner === owner) return undefined;
      } catch (error) {
        if (!isLeaseError(error)) throw error;
        why = error.message;
      }
      await pauseBeforeLook(looks);
    }
    return why;
  }

  /**
   * Asks the provider about a listed lease. `agrees`: both named the same owner, if not at the same moment. `lease`: as it
   * is now, absent when it has ended meanwhile.
   */
  async #compare(listed: Lease): Promise<{ readonly agrees: boolean; readonly lease?: Lease }> {
    const { key } = listed;
    const owners = { said: new Set<string>(), seen: new Set<string>() };
    for (let looks = 0; ; looks += 1) {
      const [owner, lease] = await Promise.all([
        this.#provider.getLeaseOwner(key),
        looks === 0 ? listed : this.#inspector.readLease(key),
      ]);
      if (owner !== undefined) owners.said.add(owner);
      if (lease) owners.seen.add(lease.owner);
      if ([...owners.said].some((one) => owners.seen.has(one))) {
        this.#hasAgreed = true;
        return { agrees: true, ...(lease && { lease }) };
      }
      if (owner === undefined && lease === undefined) return { agrees: false };
      if (looks === LOOKS_AGAIN) {
        this.#hasAgreed = false;
        throw this.#differs(key, owner, lease?.owner);
      }
      await pauseBeforeLook(looks);
    }
  }

  #differs(key: string, said: string | undefined, seen: string | undefined): UnverifiedError {
    const holder = seen === undefined ? 'nobody' : shown(seen);
    return said === undefined
      ? new UnverifiedError(
          `${shown(key)} is held by ${holder} under ${this.#place}, and the application knows no such lease: it uses another key prefix, database or server`,
          { remedy: REMEDY },
        )
      : new UnverifiedError(
          `${shown(key)} is held by ${holder} under ${this.#place}, and by ${shown(said)} says the application: it uses another server or database`,
          { remedy: REMEDY },
        );
  }

  /** @throws `ERR_LEASE_UNVERIFIED` when having seen nothing that could be compared proves nothing. */
  #assertEmptyMeansEmpty(listed: number): void {
    if (this.isBelieved) return;
    const seen =
      listed === 0 ? 'nothing' : `${listed} leases, all gone or unreadable when they were compared,`;
    throw new UnverifiedError(
      `${seen} under ${this.#place}, which could not be checked against the application`,
      {
        remedy: `${REMEDY}, or allow one scratch lease by --probe`,
      },
    );
  }
}

/** What is shown in hex cannot be asked for. */
function isComparable({ keyHex, ownerHex }: Lease): boolean {
  return keyHex === undefined && ownerHex === undefined;
}

const REMEDY = 'say where the leases live by `inspect` and `keyPrefix` in the config';
