import { beforeEach, describe, expect, test } from 'vitest';
import { type HeldLease, holdLease, type LeaseLostError } from '../../../src/lease/hold.js';
import { type CommandEnd, type RunningCommand, runUnderLease } from '../../../src/operations/exec.js';
import { MemoryLeaseProvider } from '../../../src/providers/memory.js';
import { FakeClock, settled } from '../lease/hold-clock.js';

const TTL_MS = 15_000;
const GRACE_MS = 5_000;

/** A command that does what a test says, on the test's clock. */
class Puppet implements RunningCommand {
  readonly #ended = Promise.withResolvers<CommandEnd>();
  readonly #gone = Promise.withResolvers<void>();
  readonly received: { readonly signal: NodeJS.Signals; readonly atMs: number }[] = [];
  readonly #clock: FakeClock;
  obeys: NodeJS.Signals = 'SIGTERM';

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  get ended(): Promise<CommandEnd> {
    return this.#ended.promise;
  }

  gone(): Promise<void> {
    return this.#gone.promise;
  }

  send(signal: NodeJS.Signals): void {
    this.received.push({ signal, atMs: this.#clock.monotonicMs() });
    if (signal === this.obeys) this.end({ code: 0 });
  }

  end(end: CommandEnd, leavesBehind = false): void {
    this.#ended.resolve(end);
    if (!leavesBehind) this.#gone.resolve();
  }

  lastEnds(): void {
    this.#gone.resolve();
  }
}

let clock: FakeClock;
let leases: MemoryLeaseProvider;
let lease: HeldLease;
let command: Puppet;
let told: unknown[];

beforeEach(async () => {
  clock = new FakeClock();
  leases = new MemoryLeaseProvider({ clock });
  const held = await holdLease(leases, 'deploy', 'job-1', { ttlMs: TTL_MS, graceMs: GRACE_MS, clock });
  if (!held.acquired) throw new Error('The key was free');
  lease = held.lease;
  command = new Puppet(clock);
  told = [];
});

function run(start: () => Promise<RunningCommand> = async () => command) {
  return runUnderLease({
    lease,
    graceMs: GRACE_MS,
    start,
    onLost: (loss: LeaseLostError) => told.push(loss.reason),
    onLeftBehind: (end) => told.push(end),
    clock,
  });
}

test('a command that ends gives its end, and the lease is given back', async () => {
  const running = run();
  await clock.advance(3 * TTL_MS);
  expect(await leases.getLeaseOwner('deploy')).toBe('job-1');
  command.end({ code: 7 });
  expect(await running).toEqual({ end: { code: 7 } });
  expect(await leases.getLeaseOwner('deploy')).toBeUndefined();
  expect({ told, alarms: clock.alarmCount }).toEqual({ told: [], alarms: 0 });
});

test('a command that does not start gives the lease back, and is told as it failed', async () => {
  const failure = new Error('no such command');
  await expect(run(() => Promise.reject(failure))).rejects.toBe(failure);
  expect(await leases.getLeaseOwner('deploy')).toBeUndefined();
});

describe('what a command leaves behind', () => {
  test('keeps the lease, and is told once', async () => {
    const running = run();
    await settled();
    command.end({ code: 2 }, true);
    await clock.advance(10 * TTL_MS);
    expect(told).toEqual([{ code: 2 }]);
    expect(await leases.getLeaseOwner('deploy')).toBe('job-1');
    command.lastEnds();
    expect(await running).toEqual({ end: { code: 2 } });
    expect(await leases.getLeaseOwner('deploy')).toBeUndefined();
  });

  test('for a moment is not worth telling', async () => {
    const running = run();
    command.end({ code: 0 }, true);
    await clock.advance(900);
    command.lastEnds();
    await running;
    expect({ told, alarms: clock.alarmCount }).toEqual({ told: [], alarms: 0 });
  });
});

describe('when the lease is lost', () => {
  const take = () => leases.transferLease('deploy', 'job-1', 'job-2', TTL_MS);

  test('it is told, the command gets TERM, and its own end does not count', async () => {
    const running = run();
    await take();
    await clock.advance(TTL_MS / 3);
    expect(told).toEqual(['refused']);
    expect(await running).toMatchObject({ lost: { reason: 'refused' } });
    expect(command.received.map(({ signal }) => signal)).toEqual(['SIGTERM']);
    expect(await leases.getLeaseOwner('deploy')).toBe('job-2');
    expect(clock.alarmCount).toBe(0);
  });

  test('what does not obey TERM gets KILL after the grace', async () => {
    command.obeys = 'SIGKILL';
    const running = run();
    await take();
    await clock.advance(TTL_MS / 3 + GRACE_MS);
    expect(await running).toMatchObject({ lost: { reason: 'refused' } });
    const [term, kill] = command.received;
    expect(command.received.map(({ signal }) => signal)).toEqual(['SIGTERM', 'SIGKILL']);
    expect((kill?.atMs ?? 0) - (term?.atMs ?? 0)).toBeCloseTo(GRACE_MS);
  });

  test('after the command ended and while what it left behind runs, it is lost all the same', async () => {
    const running = run();
    command.end({ code: 0 }, true);
    await take();
    await clock.advance(TTL_MS / 3);
    command.lastEnds();
    expect(await running).toMatchObject({ lost: { reason: 'refused' } });
  });

  test('a command whose end is seen only past the end of the lease ran without one', async () => {
    const running = run();
    await settled();
    command.end({ code: 0 });
    await clock.freeze(TTL_MS);
    expect(await running).toMatchObject({ lost: { reason: 'overslept' } });
    expect(told).toEqual(['overslept']);
  });
});
