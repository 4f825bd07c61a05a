import { join } from 'node:path';
import type { AcquireResult } from '../../../src/lease/provider.js';
import { SqliteLeaseProvider } from '../../../src/providers/sqlite/index.js';
import { makeTempDir } from '../../support/temp-dir.js';
import { startProviderProcess } from '../provider-process.js';
import { CorrectLeases, LeaseServer } from './correct-leases.js';
import { LocksInOneProcess } from './locks-in-one-process.js';
import { type Mutant, mutant } from './mutant.js';

/** Lets nobody renew or hand over what was not acquired by the same instance. */
class RemembersWhatItAcquired extends CorrectLeases {
  readonly #own = new Set<string>();

  override async acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    const answer = await super.acquireLease(key, owner, ttlMs);
    if (answer.acquired) this.#own.add(key);
    return answer;
  }

  override async transferLease(key: string, from: string, to: string, ttlMs: number): Promise<boolean> {
    return this.#own.has(key) && super.transferLease(key, from, to, ttlMs);
  }
}

/** Each instance has a server of its own. */
class SharesNothing extends CorrectLeases {
  constructor() {
    super(new LeaseServer());
  }
}

/** As Mastra's own on Redis. */
class ReadsAsFreeOnceClosed extends CorrectLeases {
  #isClosed = false;

  override async close(): Promise<void> {
    this.#isClosed = true;
  }

  override async getLeaseOwner(key: string): Promise<string | undefined> {
    return this.#isClosed ? undefined : super.getLeaseOwner(key);
  }
}

export const WRONG_INSTANCES: readonly Mutant[] = [
  mutant('instances: an owner is known only where it acquired', 'two-instances', RemembersWhatItAcquired),
  mutant('instances: two share nothing', 'two-instances', SharesNothing),
  {
    name: 'instances: a lock that holds in one process only',
    clause: 'one-winner-across-processes',
    async start() {
      const directory = await makeTempDir();
      const path = join(directory.path, 'leases.db');
      return {
        factory: () => new LocksInOneProcess(new SqliteLeaseProvider({ path })),
        startProcess: () => startProviderProcess({ kind: 'sqlite, locked in one process', path }),
        stop: () => directory.remove(),
      };
    },
  },
  mutant(
    'instances: a closed one reads every key as free',
    'after-close',
    ReadsAsFreeOnceClosed,
    'after-close',
  ),
];
