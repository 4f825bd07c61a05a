import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LeaseProvider } from '../../lease/provider.js';
import { DEMO_TTL_MS, type Shift, shiftsOf } from './plan.js';
import { CRASHED, readWorkerArguments } from './worker-arguments.js';

/** One simulated server process of the demo: it takes leases, renews them, and ends them as its plan says. */
const { folder, database, ...id } = readWorkerArguments(process.argv.slice(2));

// The pipe ends with the process that made it, however that ended: then nobody else cleans up.
process.stdin.once('close', () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
process.stdin.resume();

const { SqliteLeaseProvider } = await import('../../providers/sqlite/index.js');
const leases = new SqliteLeaseProvider({ path: database });
for (const shift of shiftsOf(id)) await work(leases, shift);

async function work(leases: LeaseProvider, shift: Shift): Promise<void> {
  const { key, run, end, nextRun } = shift;
  await sleep(shift.waitMs);
  const { acquired } = await leases.acquireLease(key, run, DEMO_TTL_MS);
  if (!acquired || !(await hold(leases, key, run, shift.holdMs))) return;
  switch (end) {
    case 'release':
      return leases.releaseLease(key, run);
    case 'silence':
      // The run goes on, and does not know that its lease has run out.
      await sleep(DEMO_TTL_MS * 1.5);
      return;
    case 'crash':
      process.exit(CRASHED);
      break;
    case 'handover':
      if (!(await leases.transferLease(key, run, nextRun, DEMO_TTL_MS))) return;
      if (await hold(leases, key, nextRun, shift.nextHoldMs)) await leases.releaseLease(key, nextRun);
  }
}

/** Renews a lease as the runtime does, every third of its time; whether it was held to the end. */
async function hold(leases: LeaseProvider, key: string, owner: string, holdMs: number): Promise<boolean> {
  const endsAtMs = performance.now() + holdMs;
  for (let leftMs = holdMs; leftMs > 0; leftMs = endsAtMs - performance.now()) {
    await sleep(Math.min(leftMs, DEMO_TTL_MS / 3));
    if (leftMs > DEMO_TTL_MS / 3 && !(await leases.renewLease(key, owner, DEMO_TTL_MS))) return false;
  }
  return true;
}
