import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { AmbiguousKeyError, NotPermittedError } from '../../../src/lease/errors.js';
import { DEFAULT_THRESHOLDS } from '../../../src/lease/verdict.js';
import type { OperationContext } from '../../../src/operations/context.js';
import { mapAtOnce } from '../../../src/operations/inspect/at-once.js';
import {
  type InspectContext,
  type Inspected,
  inspect,
  inspectContext,
} from '../../../src/operations/inspect/inspect.js';
import { countVerdicts, groupByProcess, sortInspected } from '../../../src/operations/inspect/order.js';
import { pulse } from '../../../src/operations/inspect/pulse.js';
import type { InspectTarget } from '../../../src/operations/inspect/target.js';
import { openMemorySite } from './memory-site.js';

const SETTINGS = { ttlMs: 15_000, thresholds: DEFAULT_THRESHOLDS };
const THREAD = 'user-42\0abc';

/** Everything that an inspection shows, one after the other. */
function looks(context: OperationContext, target: InspectTarget): Promise<readonly Inspected[]> {
  return looksWith(inspectContext(context, SETTINGS), target);
}

async function looksWith(context: InspectContext, target: InspectTarget): Promise<readonly Inspected[]> {
  const seen: Inspected[] = [];
  for await (const inspected of inspect(context, target)) seen.push(inspected);
  return seen;
}

const key = (named: string): InspectTarget => ({ by: 'key', key: named });

describe('an inspection', () => {
  it('reads a key that is named outright, and its relative, once each', async () => {
    const { context, calls, hold } = openMemorySite();
    await hold({ [THREAD]: 'run-1', [`thread-claim:${THREAD}`]: 'process-1' });
    const [first, last, ...more] = await looks(context, key(THREAD));
    expect(first).toMatchObject({
      key: THREAD,
      facts: { lease: { owner: 'run-1', remainingMs: 15_000 }, evidence: 'unavailable' },
      related: { leases: [{ relation: 'claim', lease: { owner: 'process-1' } }] },
    });
    expect(more).toEqual([]);
    expect(last).toMatchObject({ key: THREAD, related: { leases: [{ relation: 'claim' }] } });
    expect(calls).toEqual({ read: 2, list: 1 });
  });

  it('finds what the owner’s run holds besides, and nothing of other runs', async () => {
    const { context, hold } = openMemorySite();
    const recovery = (run: string) => `mastra:durable-agent-recovery:v1:["agent","${run}"]`;
    await hold({
      [THREAD]: 'run-1',
      [recovery('run-1')]: 'a',
      [recovery('run-2')]: 'b',
      'user-1\0t': 'run-2',
    });
    const last = (await looks(context, key(THREAD))).at(-1);
    expect(last).toMatchObject({ related: { leases: [{ relation: 'recovery', lease: { owner: 'a' } }] } });
    const ofRecovery = (await looks(context, key(recovery('run-2')))).at(-1);
    expect(ofRecovery).toMatchObject({
      related: { leases: [{ relation: 'thread', lease: { key: 'user-1\0t' } }] },
    });
  });

  it('lists nothing for a held key that has no run', async () => {
    const { context, calls, hold } = openMemorySite();
    await hold({ deploy: 'job-1' });
    expect(await looks(context, key('deploy'))).toMatchObject([{ facts: { lease: { owner: 'job-1' } } }]);
    expect(calls).toEqual({ read: 1, list: 0 });
  });

  it('of what nobody holds asks whether anything is leased there', async () => {
    const { context, hold } = openMemorySite();
    expect((await looks(context, key('deploy'))).at(-1)).toMatchObject({ facts: { isPrefixUsed: false } });
    await hold({ nightly: 'job-1' });
    expect((await looks(context, key('deploy'))).at(-1)).toMatchObject({ facts: { isPrefixUsed: true } });
  });

  it('of a thread id that nobody holds says that it cannot tell, never that it is free', async () => {
    const { context, hold } = openMemorySite();
    const asked: readonly InspectTarget[] = [
      key('thread:abc'),
      { by: 'thread', thread: 'abc' },
      { by: 'word', word: 'abc' },
    ];
    for (const target of asked) {
      expect(await looks(context, target)).toMatchObject([
        { key: undefined, thread: 'abc', judgement: { verdict: 'unseen' } },
      ]);
    }
    await hold({ deploy: 'job-1' });
    for (const target of asked) {
      expect(await looks(context, target)).toMatchObject([
        { key: undefined, thread: 'abc', judgement: { verdict: 'unknown' } },
      ]);
    }
  });

  it('takes a word for the key that is held, else for the one held thread with that id', async () => {
    const { context, hold } = openMemorySite();
    await hold({ [THREAD]: 'run-1' });
    expect((await looks(context, { by: 'word', word: 'abc' })).at(-1)).toMatchObject({ key: THREAD });
    await hold({ abc: 'job-1' });
    expect((await looks(context, { by: 'word', word: 'abc' })).at(-1)).toMatchObject({ key: 'abc' });
    await hold({ 'user-1\0twice': 'run-1', 'user-2\0twice': 'run-2' });
    await expect(looks(context, { by: 'word', word: 'twice' })).rejects.toThrow(AmbiguousKeyError);
  });

  it('shares one listing among all that a command asks about', async () => {
    const { context, calls, hold } = openMemorySite();
    await hold({ [THREAD]: 'run-1', 'user-1\0t': 'run-2' });
    const shared = inspectContext(context, SETTINGS);
    await Promise.all(
      [key('thread:abc'), key('thread:t'), key(THREAD), key('nobody')].map((target) =>
        looksWith(shared, target),
      ),
    );
    expect(calls.list).toBe(1);
  });
});

describe('a pulse', () => {
  it('says with each lease what is known of it, and asks a user no more who may not read events', async () => {
    const { context, hold } = openMemorySite();
    const threads = Array.from({ length: 200 }, (_, n) => [`user\0t-${n}`, `run-${n}`] as const);
    await hold(Object.fromEntries(threads));
    let asked = 0;
    const evidence = {
      readThread: async () => {
        asked += 1;
        throw new NotPermittedError('no');
      },
    };
    const forbidden = { ...context, backend: { ...context.backend, evidence } };
    const { inspections, end } = await pulse(inspectContext(forbidden, SETTINGS), { filter: {} });
    expect(inspections).toHaveLength(200);
    expect(countVerdicts(inspections)).toEqual([['unknown', 200]]);
    expect(end).toMatchObject({ complete: true, total: 200, matched: 200 });
    expect(asked).toBeLessThanOrEqual(64);
  });

  it('is sorted worst first, and grouped by the process of its owners', async () => {
    const { context, hold } = openMemorySite();
    const owner = (run: string, process: string) => `mastra-thread-owner:["${run}","${process}","id"]`;
    await hold({ 'u\0a': owner('a', 'p-1'), 'u\0b': owner('b', 'p-2') });
    await hold({ 'u\0c': owner('c', 'p-2') }, 5_000);
    const { inspections } = await pulse(inspectContext(context, SETTINGS), { filter: {} });
    expect(sortInspected(inspections).map(({ key: of, judgement }) => [of, judgement.verdict])).toEqual([
      ['u\0c', 'late'],
      ['u\0a', 'unknown'],
      ['u\0b', 'unknown'],
    ]);
    const judgement = { verdict: 'unknown', why: '' } as const;
    const locks = inspections.slice(0, 1).map((one) => ({ ...one, key: 'deploy', judgement }));
    expect(sortInspected([...locks, ...inspections]).at(-1)?.key).toBe('deploy');
    expect(groupByProcess(inspections).map(({ process, inspections: of }) => [process, of.length])).toEqual([
      ['p-2', 2],
      ['p-1', 1],
    ]);
  });
});

describe('work that is done so many at a time', () => {
  it('is never more at once, and comes out in the order in which it went in', async () => {
    let [running, most] = [0, 0];
    const results = await mapAtOnce([30, 1, 20, 1, 10, 1], 2, async (ms) => {
      running += 1;
      most = Math.max(most, running);
      await sleep(ms);
      running -= 1;
      return ms;
    });
    expect(results).toEqual([30, 1, 20, 1, 10, 1]);
    expect(most).toBe(2);
  });

  it('fails with the first failure, and leaves none unheard', async () => {
    const failing = mapAtOnce([1, 2, 3], 2, async (n) => {
      await sleep(n);
      throw new Error(`failure ${n}`);
    });
    await expect(failing).rejects.toThrow('failure 1');
  });
});
