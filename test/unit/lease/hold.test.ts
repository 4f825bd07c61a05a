import { beforeEach, describe, expect, test } from 'vitest';
import { OutcomeUnknownError, UnreachableError, WrongTypeError } from '../../../src/lease/errors.js';
import { type HeldLease, type HoldOptions, holdLease, LeaseLostError } from '../../../src/lease/hold.js';
import { assertHoldable } from '../../../src/lease/hold-timing.js';
import type { AcquireResult, LeaseProvider } from '../../../src/lease/provider.js';
import { MemoryLeaseProvider } from '../../../src/providers/memory.js';
import { FakeClock, settled } from './hold-clock.js';

const TTL_MS = 15_000;
/** 2 % of the TTL. */
const MARGIN_MS = 300;
const NEVER = new Promise<never>(() => {});

/** The real provider behind a line that can be cut: each fault is what a holder may meet on a network. */
class FaultyLine implements LeaseProvider {
  readonly leases: MemoryLeaseProvider;
  readonly sent: { readonly verb: 'acquire' | 'renew' | 'release'; readonly atMs: number }[] = [];
  /** What becomes of the next calls of a verb; without it they go through. */
  fault: { [Verb in 'acquire' | 'renew' | 'release']?: () => Promise<void> } = {};
  /** What becomes of the answers. */
  answer: { [Verb in 'acquire' | 'renew']?: () => Promise<void> } = {};
  readonly #clock: FakeClock;

  constructor(clock: FakeClock) {
    this.#clock = clock;
    this.leases = new MemoryLeaseProvider({ clock });
  }

  async acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    await this.#send('acquire');
    const answer = await this.leases.acquireLease(key, owner, ttlMs);
    await this.answer.acquire?.();
    return answer;
  }

  async renewLease(key: string, owner: string, ttlMs: number): Promise<boolean> {
    await this.#send('renew');
    const answer = await this.leases.renewLease(key, owner, ttlMs);
    await this.answer.renew?.();
    return answer;
  }

  async releaseLease(key: string, owner: string): Promise<void> {
    await this.#send('release');
    await this.leases.releaseLease(key, owner);
  }

  getLeaseOwner(key: string): Promise<string | undefined> {
    return this.leases.getLeaseOwner(key);
  }

  transferLease(key: string, fromOwner: string, toOwner: string, ttlMs: number): Promise<boolean> {
    return this.leases.transferLease(key, fromOwner, toOwner, ttlMs);
  }

  count(verb: 'acquire' | 'renew' | 'release'): number {
    return this.sent.filter((call) => call.verb === verb).length;
  }

  async #send(verb: 'acquire' | 'renew' | 'release'): Promise<void> {
    this.sent.push({ verb, atMs: this.#clock.monotonicMs() });
    await this.fault[verb]?.();
  }
}

let clock: FakeClock;
let line: FaultyLine;

beforeEach(() => {
  clock = new FakeClock();
  line = new FaultyLine(clock);
});

async function hold(options: Partial<HoldOptions> = {}): Promise<HeldLease> {
  const held = await holdLease(line, 'deploy', 'job-1', { ttlMs: TTL_MS, clock, ...options });
  if (!held.acquired) throw new Error(`held by ${held.owner}`);
  return held.lease;
}

async function unreachable(): Promise<never> {
  throw new UnreachableError('connection refused');
}

function lossOf({ signal }: HeldLease): unknown {
  return signal.aborted && signal.reason instanceof LeaseLostError ? signal.reason.reason : undefined;
}

describe('while all is well', () => {
  test('the lease is renewed for as long as it is held', async () => {
    const lease = await hold();
    await clock.advance(10 * TTL_MS);
    expect(await line.getLeaseOwner('deploy')).toBe('job-1');
    expect(lease.signal.aborted).toBe(false);
    expect(line.count('acquire')).toBe(1);
    expect(lease.validForMs()).toBeGreaterThan((TTL_MS * 2) / 3 - MARGIN_MS - 1);
  });

  test('a renewal is due a third of the TTL after the last one was sent, or up to a tenth of that earlier', async () => {
    await hold();
    await clock.advance(100 * TTL_MS);
    const gaps = line.sent.slice(1).map(({ atMs }, index) => atMs - (line.sent[index]?.atMs ?? 0));
    expect(gaps.length).toBeGreaterThan(299);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(TTL_MS / 3);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(TTL_MS * 0.3);
    expect(new Set(gaps.map(Math.round)).size).toBeGreaterThan(50);
  });

  test('a slow answer does not put the next renewal off', async () => {
    line.answer.renew = () => new Promise((resolve) => void clock.alarm(3_000, resolve));
    await hold();
    await clock.advance(TTL_MS);
    const renewals = line.sent.filter(({ verb }) => verb === 'renew').map(({ atMs }) => atMs);
    expect((renewals[1] ?? 0) - (renewals[0] ?? 0)).toBeLessThanOrEqual(TTL_MS / 3);
  });

  test('another owner is refused, and named', async () => {
    await hold();
    expect(await holdLease(line, 'deploy', 'job-2', { ttlMs: TTL_MS, clock })).toEqual({
      acquired: false,
      owner: 'job-1',
    });
  });

  test('validity counts from before the request was sent, and ends grace and margin before the TTL', async () => {
    line.answer.acquire = () => new Promise((resolve) => void clock.alarm(1_000, resolve));
    const holding = hold({ graceMs: 5_000 });
    await clock.advance(1_000);
    expect((await holding).validForMs()).toBe(TTL_MS - 5_000 - MARGIN_MS - 1_000);
  });
});

describe('loss', () => {
  test('is told at the first renewal after another took the key, and nothing is released', async () => {
    const lease = await hold();
    await line.leases.transferLease('deploy', 'job-1', 'job-2', TTL_MS);
    await clock.advance(TTL_MS / 3);
    expect(lossOf(lease)).toBe('refused');
    await lease.release();
    expect(line.count('release')).toBe(0);
    expect(await line.getLeaseOwner('deploy')).toBe('job-2');
  });

  test('is told when the key holds another kind of value', async () => {
    const lease = await hold();
    line.fault.renew = async () => {
      throw new WrongTypeError('a stream');
    };
    await clock.advance(TTL_MS / 3);
    expect(lossOf(lease)).toBe('refused');
  });

  test.each([0, 5_000])('comes before the TTL does by the grace of %d ms and the margin', async (graceMs) => {
    const lease = await hold({ graceMs });
    line.fault.renew = unreachable;
    await clock.advance(TTL_MS - graceMs - MARGIN_MS - 1);
    expect(lease.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(lossOf(lease)).toBe('not-renewed');
    expect(lease.signal.reason).toHaveProperty('cause', expect.any(UnreachableError));
    expect(await line.getLeaseOwner('deploy')).toBe('job-1');
  });

  test('of a short lease comes 100 ms before the TTL', async () => {
    const lease = await hold({ ttlMs: 1_000 });
    line.fault.renew = unreachable;
    await clock.advance(899);
    expect(lease.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(lossOf(lease)).toBe('not-renewed');
  });

  test('comes in time when renewals get no answer at all', async () => {
    const lease = await hold();
    line.fault.renew = () => NEVER;
    await clock.advance(TTL_MS - MARGIN_MS);
    expect(lossOf(lease)).toBe('not-renewed');
  });

  test('counts from the last good renewal, not from the last one sent', async () => {
    const lease = await hold();
    await clock.advance(TTL_MS / 3);
    const renewedAtMs = line.sent.at(-1)?.atMs ?? 0;
    line.fault.renew = unreachable;
    await clock.advance(renewedAtMs + TTL_MS - MARGIN_MS - clock.monotonicMs() - 1);
    expect(lease.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(lossOf(lease)).toBe('not-renewed');
  });

  test('by the deadline is followed by a release, in case a renewal arrived after all', async () => {
    const lease = await hold({ graceMs: 5_000 });
    line.answer.renew = unreachable;
    await clock.advance(TTL_MS - 5_000 - MARGIN_MS);
    expect(lossOf(lease)).toBe('not-renewed');
    await lease.release();
    expect(await line.getLeaseOwner('deploy')).toBeUndefined();
  });

  test.each([0, 4_000])(
    'is told by the one who wakes up past the end, frozen after %d ms',
    async (afterMs) => {
      const lease = await hold();
      await clock.advance(afterMs);
      const sent = line.sent.length;
      await clock.freeze(TTL_MS);
      expect(lossOf(lease)).toBe('overslept');
      expect(lease.validForMs()).toBe(0);
      await clock.advance(10 * TTL_MS);
      expect(line.sent.length).toBe(sent);
      expect(await line.getLeaseOwner('deploy')).toBeUndefined();
    },
  );

  test('is told by the one who is frozen while a renewal is under way, whatever its answer', async () => {
    const lease = await hold();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    line.answer.renew = () => answered;
    await clock.advance(TTL_MS / 3);
    expect(line.count('renew')).toBe(1);
    answer();
    await clock.freeze(TTL_MS);
    expect(lossOf(lease)).toBe('overslept');
  });

  test('is for good: nothing acquires, renews or waits any more', async () => {
    const lease = await hold();
    await line.leases.releaseLease('deploy', 'job-1');
    await clock.advance(TTL_MS / 3);
    expect(lossOf(lease)).toBe('refused');
    const sent = line.sent.length;
    await clock.advance(10 * TTL_MS);
    expect(line.sent.length).toBe(sent);
    expect(clock.alarmCount).toBe(0);
    expect(lease.validForMs()).toBe(0);
  });

  test('is not told by a freeze that ends in time', async () => {
    const lease = await hold();
    await clock.freeze(TTL_MS - MARGIN_MS - 1);
    await clock.advance(10);
    expect(lease.signal.aborted).toBe(false);
    expect(lease.validForMs()).toBeGreaterThan(TTL_MS - MARGIN_MS - 100);
  });
});

describe('a renewal that fails', () => {
  test('is tried again, and one that gets through is enough', async () => {
    const lease = await hold();
    line.fault.renew = unreachable;
    await clock.advance(TTL_MS - MARGIN_MS - 1_000);
    expect(line.count('renew')).toBeGreaterThan(10);
    line.fault = {};
    await clock.advance(5 * TTL_MS);
    expect(lease.signal.aborted).toBe(false);
    expect(await line.getLeaseOwner('deploy')).toBe('job-1');
  });

  test.each([0, 5_000, 7_200])(
    'for want of an answer leaves time for another, with a grace of %d ms',
    async (graceMs) => {
      const lease = await hold({ graceMs });
      line.fault.renew = () => {
        line.fault = {};
        return NEVER;
      };
      await clock.advance(10 * TTL_MS);
      expect(lease.signal.aborted).toBe(false);
      expect(await line.getLeaseOwner('deploy')).toBe('job-1');
    },
  );
});

describe('a release', () => {
  test('frees the key once, however often it is asked for, and is no loss', async () => {
    const lease = await hold();
    await Promise.all([lease.release(), lease.release()]);
    await lease.release();
    await lease[Symbol.asyncDispose]();
    expect(line.count('release')).toBe(1);
    expect(await line.getLeaseOwner('deploy')).toBeUndefined();
    await clock.advance(10 * TTL_MS);
    expect(lease.signal.aborted).toBe(false);
    expect(lease.validForMs()).toBe(0);
    expect(clock.alarmCount).toBe(0);
  });

  test('has a time limit of its own', async () => {
    const lease = await hold();
    line.fault.release = () => NEVER;
    const released = expect(lease.release()).rejects.toBeInstanceOf(OutcomeUnknownError);
    await clock.advance(5_000);
    await released;
  });

  test('that fails is told by release() and not by the end of a block', async () => {
    line.fault.release = unreachable;
    await expect((await hold()).release()).rejects.toBeInstanceOf(UnreachableError);
    await expect((await hold())[Symbol.asyncDispose]()).resolves.toBeUndefined();
  });

  test('ignores a renewal that is still under way', async () => {
    const lease = await hold();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    line.fault.renew = () => late;
    await clock.advance(TTL_MS / 3);
    await lease.release();
    resolve();
    await clock.advance(TTL_MS);
    expect(lease.signal.aborted).toBe(false);
    expect(await line.getLeaseOwner('deploy')).toBeUndefined();
  });

  test('is what the end of a block does', async () => {
    {
      await using lease = await hold();
      expect(lease.validForMs()).toBeGreaterThan(0);
    }
    expect(await line.getLeaseOwner('deploy')).toBeUndefined();
  });
});

describe('an abort', () => {
  test('before the start sends nothing', async () => {
    const reason = new Error('stop');
    await expect(hold({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(line.sent).toEqual([]);
  });

  test('during the acquisition leaves nothing held', async () => {
    const controller = new AbortController();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    line.answer.acquire = () => late;
    const holding = hold({ signal: controller.signal });
    await settled();
    expect(await line.getLeaseOwner('deploy')).toBe('job-1');
    const reason = new Error('stop');
    controller.abort(reason);
    resolve();
    await expect(holding).rejects.toBe(reason);
    expect(await line.getLeaseOwner('deploy')).toBeUndefined();
    expect(clock.alarmCount).toBe(0);
  });

  test('while it is held gives it back, a failing release included', async () => {
    const controller = new AbortController();
    const lease = await hold({ signal: controller.signal });
    controller.abort();
    await settled();
    expect(await line.getLeaseOwner('deploy')).toBeUndefined();
    expect(lease.signal.aborted).toBe(false);
    const next = new AbortController();
    line.fault.release = unreachable;
    await hold({ signal: next.signal });
    next.abort();
    await settled();
  });
});

describe('an acquisition whose answer is lost', () => {
  test('is settled by a renewal, from which validity then counts', async () => {
    line.answer.acquire = async () => {
      throw new OutcomeUnknownError('connection reset');
    };
    const lease = await hold();
    expect(line.sent.map(({ verb }) => verb)).toEqual(['acquire', 'renew']);
    await clock.advance(5 * TTL_MS);
    expect(lease.signal.aborted).toBe(false);
  });

  test('and did not arrive is told, and given back in case it still does', async () => {
    line.fault.acquire = async () => {
      throw new OutcomeUnknownError('connection reset');
    };
    await expect(hold()).rejects.toBeInstanceOf(OutcomeUnknownError);
    expect(line.sent.map(({ verb }) => verb)).toEqual(['acquire', 'renew', 'release']);
  });

  test('is given up after a third of the TTL, and released when it comes after that', async () => {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    line.fault.acquire = () => late;
    const refused = expect(hold()).rejects.toBeInstanceOf(OutcomeUnknownError);
    await clock.advance(TTL_MS / 3);
    await refused;
    resolve();
    await settled();
    expect(await line.getLeaseOwner('deploy')).toBeUndefined();
  });

  test('is lost when the process slept past its end', async () => {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    line.answer.acquire = () => late;
    const refused = expect(hold()).rejects.toMatchObject({ code: 'ERR_LEASE_LOST', reason: 'overslept' });
    await settled();
    resolve();
    await clock.freeze(TTL_MS);
    await refused;
    expect(line.count('renew')).toBe(0);
  });

  test('by a refused connection was not made: nothing else is sent', async () => {
    line.fault.acquire = unreachable;
    await expect(hold()).rejects.toBeInstanceOf(UnreachableError);
    expect(line.sent).toHaveLength(1);
  });
});

describe('options that leave no time to renew are refused, and nothing is sent', () => {
  test.each([
    [15_000, 7_201],
    [15_000, 15_000],
    [1_000, 401],
    [199, 0],
    [15_000, -1],
    [15_000, Number.NaN],
    [0, 0],
  ])('a TTL of %d ms with a grace of %d ms', async (ttlMs, graceMs) => {
    await expect(hold({ ttlMs, graceMs })).rejects.toHaveProperty('code', 'ERR_LEASE_INVALID_TTL');
    expect(line.sent).toEqual([]);
  });

  test.each([
    [15_000, 7_200],
    [15_000, 5_000],
    [1_000, 400],
    [200, 0],
  ])('a TTL of %d ms with a grace of %d ms is enough', (ttlMs, graceMs) => {
    expect(() => assertHoldable(ttlMs, graceMs)).not.toThrow();
  });

  test.each([0, 40, 400, 5_000, 60_000])(
    'the TTL that is suggested for a grace of %d ms is the least',
    (graceMs) => {
      const suggested = Number(/a TTL of (\d+) ms/.exec(remedyFor(graceMs))?.[1]);
      expect(() => assertHoldable(suggested, graceMs)).not.toThrow();
      expect(() => assertHoldable(suggested - 1, graceMs)).toThrow();
    },
  );
});

function remedyFor(graceMs: number): string {
  try {
    assertHoldable(1, graceMs);
  } catch (error) {
    if (error instanceof Error && 'remedy' in error) return String(error.remedy);
  }
  return '';
}
