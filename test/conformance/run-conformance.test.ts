import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { clausesOf } from '../../src/conformance/conformance-run.js';
import type { ConformanceProgress } from '../../src/conformance/options.js';
import type { ClauseReport } from '../../src/conformance/report.js';
import { runConformance } from '../../src/conformance/run-conformance.js';
import { ClosedError, UnreachableError } from '../../src/lease/errors.js';
import type { LeaseProvider } from '../../src/lease/provider.js';
import { MemoryLeaseProvider } from '../../src/providers/memory.js';
import { noopLeaseProvider } from '../../src/providers/noop.js';
import { CorrectLeases, LeaseServer } from './mutants/correct-leases.js';
import { MUTANTS } from './mutants/index.js';
import { runMutant } from './mutants/mutant.js';
import { ReleasesThenAcquires, SaysItReleasesThenAcquires } from './mutants/wrong-transfer.js';

/** The clauses that take no time: nothing waits for a lease to end. */
const QUICK = clausesOf('contract')
  .map(({ id }) => id)
  .filter((id) => !/ttl|expir|in-time|close/.test(id));

function find(clauses: readonly ClauseReport[], id: string): ClauseReport {
  const clause = clauses.find((each) => each.id === id);
  if (!clause) throw new Error(`There is no clause ${id}`);
  return clause;
}

describe('a run', () => {
  it('touches nothing but scratch keys of one random name, and leaves none of them behind', async () => {
    const server = new LeaseServer();
    server.put('mastra-lease-conformance', 'somebody', 60_000);
    const { scratch, conforms } = await runConformance(() => new CorrectLeases(server), {
      clauses: [...QUICK, 'one-winner', 'linearizable'],
    });
    expect(conforms).toBe(true);
    expect(scratch).toMatch(/^mastra-lease-conformance:[0-9a-f-]{36}$/);
    expect(server.keysEver.filter((key) => !key.includes(scratch))).toEqual(['mastra-lease-conformance']);
    expect(server.keysEver.length).toBeGreaterThan(100);
    expect(server.keys.filter((key) => server.find(key))).toEqual(['mastra-lease-conformance']);
    expect(server.find('mastra-lease-conformance')?.owner).toBe('somebody');
  });

  it('cleans up after a clause that was violated, too', async () => {
    const server = new LeaseServer();
    const { conforms } = await runConformance(() => new ReleasesThenAcquires(server), {
      clauses: ['atomic-transfer'],
    });
    expect(conforms).toBe(false);
    expect(server.keys.filter((key) => server.find(key))).toEqual([]);
  });

  it('says how far it went, and what every clause is about', async () => {
    const { clauses, level, seed } = await runConformance(() => new MemoryLeaseProvider(), {
      level: 'structural',
      seed: 42,
    });
    expect({ level, seed }).toEqual({ level: 'structural', seed: 42 });
    expect(clauses.map(({ id, result }) => [id, result])).toEqual([
      ['methods', 'passed'],
      ['promises', 'passed'],
      ['traits', 'passed'],
    ]);
    for (const { sentence, source } of clausesOf('linearizable')) {
      expect(sentence).toMatch(/^[A-Z].*\.$/);
      expect(source).not.toBe('');
    }
  });

  it('shows the calls that were made, in order, with results and times', async () => {
    const provider = Object.assign(new CorrectLeases(new LeaseServer()), {
      renewLease: async () => undefined,
    });
    const { clauses } = await runConformance(() => provider, { clauses: ['renew-by-owner'] });
    const { result, note, evidence } = find(clauses, 'renew-by-owner');
    expect({ result, note }).toEqual({ result: 'failed', note: 'expected true for a, who holds the key' });
    expect(evidence?.calls.map(({ method, answer }) => ({ method, answer }))).toEqual([
      { method: 'acquireLease', answer: { acquired: true, owner: 'a' } },
      { method: 'renewLease', answer: undefined },
    ]);
    const times = evidence?.calls.flatMap(({ startMs, endMs }) => [startMs, endMs]) ?? [];
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(evidence?.timeLine).toEqual([
      expect.stringMatching(
        /^ *0\.00 – +\S+ ms {2}instance 1 {2}acquireLease\("~:renew-by-owner:1", "a", 60000\) → \{ acquired: true, owner: "a" \}$/,
      ),
      expect.stringMatching(/renewLease\("~:renew-by-owner:1", "a", 60000\) → undefined$/),
    ]);
  });

  it('takes what has a getLeaseProvider for what that answers, as the runtime does', async () => {
    const server = new LeaseServer();
    const { clauses } = await runConformance(() => ({ getLeaseProvider: () => new CorrectLeases(server) }), {
      clauses: ['methods', 'refusal', 'two-instances'],
    });
    expect(clauses.map(({ result }) => result)).toEqual(['passed', 'passed', 'passed']);
  });

  it('leaves out what needs two instances where the factory has only one, and closes that one last', async () => {
    const leases = new MemoryLeaseProvider();
    const shared = { getLeaseProvider: () => leases, close: () => leases.close() };
    const { clauses } = await runConformance(() => shared, {
      scope: 'network',
      clauses: ['two-instances', 'after-close'],
    });
    expect(find(clauses, 'two-instances')).toMatchObject({
      result: 'skipped',
      note: 'the factory has only one instance, and no other process was started',
    });
    expect(find(clauses, 'after-close')).toMatchObject({ result: 'passed', note: 'every call is refused' });
  });

  it('fails the runtime’s fallback, which always says yes', async () => {
    const { conforms, clauses } = await runConformance(() => noopLeaseProvider, { clauses: QUICK });
    expect(conforms).toBe(false);
    expect(clauses.filter(({ result }) => result === 'failed').map(({ id }) => id)).toEqual(
      expect.arrayContaining([
        'refusal',
        'owner-read',
        'renew-by-other',
        'renew-of-nothing',
        'transfer-by-other',
      ]),
    );
  });

  it('goes on without what is missing: nothing but the first clause can be tried', async () => {
    const { conforms, clauses } = await runConformance(
      () => ({ acquireLease: async () => ({ acquired: true }) }),
      {
        level: 'contract',
      },
    );
    expect(conforms).toBe(false);
    expect(find(clauses, 'methods')).toMatchObject({
      result: 'failed',
      note: 'expected the methods getLeaseOwner, releaseLease, renewLease, transferLease',
    });
    expect(clauses.filter(({ result }) => result !== 'skipped')).toHaveLength(1);
  });

  it('ends with the reason of its signal, and releases what it held', async () => {
    const server = new LeaseServer();
    const controller = new AbortController();
    const reason = new Error('enough');
    const running = runConformance(() => new CorrectLeases(server), {
      clauses: ['renew-after-expiry', 'long-ttl'],
      signal: controller.signal,
      onClause: () => controller.abort(reason),
    });
    await expect(running).rejects.toBe(reason);
    expect(server.keys.filter((key) => server.find(key))).toEqual([]);
  });

  it('tells what is tried, and how many of how many clauses are decided', async () => {
    const server = new LeaseServer();
    const told: ConformanceProgress[] = [];
    const named = ['methods', 'reacquire', 'one-winner', 'after-close'];
    await runConformance(() => new CorrectLeases(server), {
      clauses: named,
      onProgress: (progress) => told.push(progress),
    });
    expect(told.map(({ clauses }) => clauses)).toEqual(told.map(() => named.length));
    const decided = told.map(({ decidedClauses }) => decidedClauses);
    expect(decided).toEqual(decided.toSorted((a, b) => a - b));
    expect(new Set(told.flatMap(({ running }) => running.map(({ id }) => id)))).toEqual(new Set(named));
    expect(told.at(-1)).toEqual({ decidedClauses: 4, clauses: 4, running: [] });
  });
});

describe('what a transfer is', () => {
  it('is told apart from what is declared: a gap that is declared conforms, and is shown', async () => {
    const server = new LeaseServer();
    const { conforms, atomicTransfer, traits, clauses } = await runConformance(
      () => new SaysItReleasesThenAcquires(server),
      { clauses: ['atomic-transfer', 'linearizable'] },
    );
    expect({ conforms, atomicTransfer, declared: traits.atomicTransfer }).toEqual({
      conforms: true,
      atomicTransfer: 'not atomic',
      declared: false,
    });
    const transfer = find(clauses, 'atomic-transfer');
    expect(transfer.result).toBe('reported');
    expect(transfer.note).toMatch(
      /^not atomic \(declared: no\): (racer|reader) \d at instance \d (got the key|read)/,
    );
    expect(find(clauses, 'linearizable').note).toContain('without transfers, which are not atomic');
  });

  it('fails where a gap is declared away, with the interleaving that shows it', async () => {
    const server = new LeaseServer();
    const { conforms, clauses } = await runConformance(() => new ReleasesThenAcquires(server), {
      clauses: ['atomic-transfer'],
    });
    expect(conforms).toBe(false);
    const { evidence } = find(clauses, 'atomic-transfer');
    const [first, second] = evidence?.timeLine ?? [];
    expect(first).toMatch(
      /holder at instance 1 +\[=+\] +transferLease\("~:atomic-transfer:1", "even", "odd", 60000\)/,
    );
    expect(second).toMatch(/(racer|reader) \d at instance \d +\[=+\] +(acquireLease|getLeaseOwner)\(/);
    const [transfer, intruder] = evidence?.calls ?? [];
    expect(intruder?.startMs).toBeLessThan(transfer?.endMs ?? 0);
    expect(intruder?.endMs).toBeGreaterThan(transfer?.startMs ?? 0);
  });

  it('fails a gap that nobody declared only where that is required', async () => {
    class SaysNothingOfIt extends ReleasesThenAcquires {
      override readonly leaseTraits = { scope: 'network' } as const;
    }
    const results = [];
    for (const require of [undefined, ['atomic-transfer'] as const]) {
      const server = new LeaseServer();
      const { clauses } = await runConformance(() => new SaysNothingOfIt(server), {
        clauses: ['atomic-transfer'],
        require,
      });
      results.push(find(clauses, 'atomic-transfer').result);
    }
    expect(results).toEqual(['reported', 'failed']);
  });

  it('is not shown where too few calls came between, which fails only where that is required', async () => {
    class Slow extends CorrectLeases {
      protected override async command<Answer>(run: () => Answer): Promise<Answer> {
        await sleep(500);
        return super.command(run);
      }
    }
    const measured = await Promise.all(
      [undefined, ['atomic-transfer'] as const].map(async (require) => {
        const server = new LeaseServer();
        const { atomicTransfer, conforms, clauses } = await runConformance(() => new Slow(server), {
          clauses: ['atomic-transfer'],
          require,
        });
        return { atomicTransfer, conforms, ...find(clauses, 'atomic-transfer') };
      }),
    );
    expect(measured).toMatchObject([
      { atomicTransfer: 'not shown', conforms: true, result: 'not shown' },
      { atomicTransfer: 'not shown', conforms: false, result: 'failed' },
    ]);
    for (const { note } of measured) {
      expect(note).toMatch(
        /^not shown \(declared: yes\): \d+ transfers, \d+ calls of others meanwhile are too few$/,
      );
    }
  });

  it('is measured as atomic by many calls of others meanwhile', async () => {
    const server = new LeaseServer();
    const { atomicTransfer, clauses } = await runConformance(() => new CorrectLeases(server), {
      clauses: ['atomic-transfer'],
    });
    expect(atomicTransfer).toBe('atomic');
    const [, transfers, calls] =
      /(\d+) transfers, (\d+) calls of others/.exec(find(clauses, 'atomic-transfer').note ?? '') ?? [];
    expect(Number(transfers)).toBeGreaterThanOrEqual(8);
    expect(Number(calls)).toBeGreaterThanOrEqual(150);
  });
});

describe('a refusal', () => {
  const inSteps = MUTANTS.find(({ clause }) => clause === 'atomic-refusal');
  if (!inSteps) throw new Error('There is no such mutant');

  it('that is made in several steps is reported by the clause that shows it, and then conforms', async () => {
    const { conforms, clauses } = await runMutant(
      { ...inSteps, require: undefined },
      { clauses: ['atomic-refusal', 'linearizable'] },
    );
    expect(conforms).toBe(true);
    const { result, evidence } = find(clauses, 'atomic-refusal');
    expect(result).toBe('reported');
    expect(evidence?.calls.map(({ method, answer }) => [method, answer])).toContainEqual([
      'acquireLease',
      { acquired: false },
    ]);
    expect(find(clauses, 'linearizable')).toMatchObject({
      result: 'passed',
      note: expect.stringMatching(/refusals in several steps$/),
    });
  });

  it('is held against a register that refuses in one step, where nothing else was shown', async () => {
    const reported = await runMutant({ ...inSteps, require: undefined }, { clauses: ['linearizable'] });
    expect(reported).toMatchObject({
      conforms: true,
      clauses: [
        { result: 'reported', note: expect.stringMatching(/^refusals are made in several steps: run /) },
      ],
    });
    const required = await runMutant(inSteps, { clauses: ['linearizable'] });
    expect(required).toMatchObject({ conforms: false, clauses: [{ result: 'failed' }] });
  });
});

describe('a backend that cannot be tested', () => {
  it('is no verdict: the run rejects with what the provider says', async () => {
    const unreachable = new UnreachableError('nobody there');
    const provider = failing(() => unreachable);
    await expect(runConformance(() => provider)).rejects.toBe(unreachable);
  });

  it('is unreachable where the provider says nothing that we know, without its secrets', async () => {
    const provider = failing(() => new Error('connect ECONNREFUSED redis://user:secret@10.0.0.5:6379'));
    const running = runConformance(() => provider);
    await expect(running).rejects.toMatchObject({ code: 'ERR_LEASE_UNREACHABLE' });
    await expect(running).rejects.not.toThrow(/secret/);
  });

  it('is not permitted where the server says so', async () => {
    const provider = failing(() => new Error('NOAUTH Authentication required.'));
    await expect(runConformance(() => provider)).rejects.toMatchObject({ code: 'ERR_LEASE_NOT_PERMITTED' });
  });

  it('may be lost in the middle of it', async () => {
    const server = new LeaseServer();
    let isLost = false;
    const provider = failing(
      () => (isLost ? new Error('socket closed') : undefined),
      new CorrectLeases(server),
    );
    const running = runConformance(() => provider, {
      clauses: ['one-transfer', 'release-race'],
      onClause: () => {
        isLost = true;
      },
    });
    await expect(running).rejects.toMatchObject({ code: 'ERR_LEASE_UNREACHABLE' });
  });

  it('is one that answers nothing in time', async () => {
    const provider = { ...noopLeaseProvider, getLeaseOwner: () => new Promise<never>(() => {}) };
    await expect(runConformance(() => provider, { callTimeoutMs: 50 })).rejects.toMatchObject({
      code: 'ERR_LEASE_UNREACHABLE',
      message: expect.stringContaining('getLeaseOwner failed: no answer within 50 ms'),
    });
  });

  it('is not one that throws where the contract has an answer', async () => {
    const server = new LeaseServer();
    const leases = new CorrectLeases(server);
    const provider = Object.assign(leases, {
      renewLease: async () => {
        throw new ClosedError('no lease');
      },
    });
    const { clauses } = await runConformance(() => provider, { clauses: ['renew-of-nothing'] });
    expect(find(clauses, 'renew-of-nothing')).toMatchObject({
      result: 'failed',
      note: 'renewLease threw: no lease',
      evidence: { calls: [{ method: 'renewLease', failure: 'no lease' }] },
    });
  });

  it('is one whose provider cannot be made', async () => {
    const running = runConformance(() => {
      throw new Error('LEASES_URL is not set');
    });
    await expect(running).rejects.toMatchObject({
      code: 'ERR_LEASE_INVALID_CONFIG',
      message: 'The provider could not be made: LEASES_URL is not set',
    });
  });
});

/** A provider whose every call fails while there is an error to fail with. */
function failing(error: () => Error | undefined, inner: LeaseProvider = noopLeaseProvider): LeaseProvider {
  const guard = async <Answer>(answer: () => Promise<Answer>): Promise<Answer> => {
    await sleep(1);
    const failure = error();
    if (failure) throw failure;
    return answer();
  };
  return {
    acquireLease: (...args) => guard(() => inner.acquireLease(...args)),
    getLeaseOwner: (...args) => guard(() => inner.getLeaseOwner(...args)),
    releaseLease: (...args) => guard(() => inner.releaseLease(...args)),
    renewLease: (...args) => guard(() => inner.renewLease(...args)),
    transferLease: (...args) => guard(() => inner.transferLease(...args)),
  };
}
