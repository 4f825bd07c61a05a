import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type HeldLease, holdLease, LeaseLostError } from '../../src/lease/hold.js';
import { SqliteLeaseProvider } from '../../src/providers/sqlite/index.js';
import { makeTempDir } from '../support/temp-dir.js';
import { waitFor } from '../support/wait-for.js';

const TTL_MS = 1_500;
const HOUR_MS = 3_600_000;

/** The host's wall clock, which somebody sets. */
class SetClock {
  offsetMs = 0;

  wallMs(): number {
    return Date.now() + this.offsetMs;
  }
}

/** A lease in an SQLite file, whose rows carry the time of day; and another process, as it were, that wants it. */
async function holdOnFile() {
  const directory = await makeTempDir();
  const clock = new SetClock();
  const open = () => new SqliteLeaseProvider({ path: join(directory.path, 'leases.db'), clock });
  const [leases, others] = [open(), open()];
  const held = await holdLease(leases, 'deploy', 'job-1', { ttlMs: TTL_MS });
  if (!held.acquired) throw new Error(`held by ${held.owner}`);
  const { lease } = held;
  return {
    clock,
    lease,
    others,
    [Symbol.asyncDispose]: async () => {
      await lease.release().catch(() => {});
      await Promise.all([leases.close(), others.close()]);
      await directory.remove();
    },
  };
}

function reasonOf({ signal }: HeldLease): unknown {
  return signal.reason instanceof LeaseLostError ? signal.reason.reason : undefined;
}

test('a wall clock that is set forward ends a lease of SQLite, and its holder is told at the next renewal', async () => {
  await using site = await holdOnFile();
  site.clock.offsetMs += HOUR_MS;
  expect(await site.others.acquireLease('deploy', 'job-2', 60_000)).toEqual({
    acquired: true,
    owner: 'job-2',
  });
  await waitFor(() => site.lease.signal.aborted, { deadlineMs: TTL_MS });
  expect(reasonOf(site.lease)).toBe('refused');
  expect(await site.others.getLeaseOwner('deploy')).toBe('job-2');
});

test('a wall clock that is set back gives the lease to nobody else, and the holder goes on', async () => {
  await using site = await holdOnFile();
  site.clock.offsetMs -= HOUR_MS;
  const until = performance.now() + 2 * TTL_MS;
  await waitFor(
    async () => {
      expect(await site.others.acquireLease('deploy', 'job-2', 60_000)).toEqual({
        acquired: false,
        owner: 'job-1',
      });
      return performance.now() > until;
    },
    { deadlineMs: 4 * TTL_MS, everyMs: 50, what: 'two TTLs to pass' },
  );
  expect(site.lease.signal.aborted).toBe(false);
  expect(site.lease.validForMs()).toBeGreaterThan(0);
});
