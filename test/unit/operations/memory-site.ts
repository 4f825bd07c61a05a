import type { Lease } from '../../../src/lease/inspector.js';
import type { OperationContext } from '../../../src/operations/context.js';
import { MemoryLeaseProvider } from '../../../src/providers/memory.js';

/** The reference provider with a clock that the test moves, and what an operation is given of it. */
export interface MemorySite {
  readonly leases: MemoryLeaseProvider;
  readonly context: OperationContext;
  /** How often each thing was asked of the provider. */
  readonly calls: Readonly<Record<'read' | 'list', number>>;
  hold(held: Readonly<Record<string, string>>, ttlMs?: number): Promise<void>;
  holders(): Promise<Readonly<Record<string, string>>>;
  /** Lets time pass. */
  pass(ms: number): void;
}

export function openMemorySite(): MemorySite {
  let nowMs = 1_000_000;
  const clock = { monotonicMs: () => nowMs, wallMs: () => nowMs };
  const leases = new MemoryLeaseProvider({ clock });
  const calls = { read: 0, list: 0 };
  const readLease = (key: string): Promise<Lease | undefined> => {
    calls.read += 1;
    return leases.readLease(key);
  };
  return {
    leases,
    calls,
    context: {
      clock,
      backend: {
        provider: leases,
        reporter: leases,
        inspector: {
          readLease,
          listLeases: (options) => {
            calls.list += 1;
            return leases.listLeases(options);
          },
        },
        readLease,
        source: () => ({ backend: 'memory:', foundBy: '--backend', scope: 'process' }),
        close: () => leases.close(),
      },
    },
    hold: async (held, ttlMs = 15_000) => {
      for (const [key, owner] of Object.entries(held)) await leases.tryAcquire(key, owner, ttlMs);
    },
    holders: async () => {
      const found: [string, string][] = [];
      for await (const { key, owner } of leases.listLeases()) found.push([key, owner]);
      return Object.fromEntries(found);
    },
    pass: (ms) => {
      nowMs += ms;
    },
  };
}
