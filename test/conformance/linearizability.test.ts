import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordedCall } from '../../src/conformance/call.js';
import { makeProgram } from '../../src/conformance/linearizability/program.js';
import { isLinearizable } from '../../src/conformance/linearizability/search.js';
import { shrink } from '../../src/conformance/linearizability/shrink.js';
import { seededRandom } from '../../src/conformance/random.js';
import type { LeaseMethod } from '../../src/lease/provider.js';
import { MUTANTS } from './mutants/index.js';
import { runMutant } from './mutants/mutant.js';

const KEY = 'k';
const TTL_MS = 60_000;
const WITH_EXPIRY = { expiry: { earlyMs: 10, lateMs: 100 } };
const IN_STEPS = { refusals: 'in steps' } as const;

/** A call of one client from `startMs` to `endMs`. */
function call(
  client: string,
  [startMs, endMs]: readonly [number, number],
  method: LeaseMethod,
  args: readonly (string | number)[],
  answer?: unknown,
): RecordedCall {
  return {
    ...{ client, place: 0, method, args: [KEY, ...args], answer },
    ...{ startMs, endMs, startOrder: startMs, endOrder: endMs },
  };
}

const acquire = (
  client: string,
  at: readonly [number, number],
  owner: string,
  answer: object,
  ttlMs = TTL_MS,
) => call(client, at, 'acquireLease', [owner, ttlMs], answer);
const read = (client: string, at: readonly [number, number], answer: string | undefined) =>
  call(client, at, 'getLeaseOwner', [], answer);
const release = (client: string, at: readonly [number, number], owner: string) =>
  call(client, at, 'releaseLease', [owner]);
const renew = (
  client: string,
  at: readonly [number, number],
  owner: string,
  answer: boolean,
  ttlMs = TTL_MS,
) => call(client, at, 'renewLease', [owner, ttlMs], answer);
const transfer = (client: string, at: readonly [number, number], from: string, to: string, answer: boolean) =>
  call(client, at, 'transferLease', [from, to, TTL_MS], answer);

describe('a history adds up', () => {
  it('when overlapping calls have an order in which every answer is right', () => {
    const history = [
      acquire('1', [0, 10], 'a', { acquired: true, owner: 'a' }),
      acquire('2', [1, 9], 'b', { acquired: false, owner: 'a' }),
      release('1', [11, 20], 'a'),
      acquire('2', [12, 18], 'b', { acquired: true, owner: 'b' }),
      read('3', [13, 25], 'b'),
    ];
    expect(isLinearizable(history)).toBe(true);
  });

  it('when a refusal could not name the holder, which had released meanwhile', () => {
    const history = [
      acquire('1', [0, 1], 'a', { acquired: true, owner: 'a' }),
      acquire('2', [2, 10], 'b', { acquired: false }),
      release('1', [3, 4], 'a'),
    ];
    expect(isLinearizable(history)).toBe(true);
  });

  it('when a refusal names who came after the owner that it was refused for', () => {
    const history = [
      acquire('1', [0, 1], 'a', { acquired: true, owner: 'a' }),
      acquire('2', [2, 10], 'b', { acquired: false, owner: 'c' }),
      transfer('1', [3, 4], 'a', 'c', true),
    ];
    expect(isLinearizable(history)).toBe(true);
  });
});

describe('a history adds up only if a refusal is made in several steps', () => {
  it.each<[string, readonly RecordedCall[]]>([
    [
      'when the holder was refused while its lease was released elsewhere',
      [
        acquire('1', [0, 1], 'a', { acquired: true, owner: 'a' }),
        acquire('1', [2, 10], 'a', { acquired: false }),
        release('2', [3, 4], 'a'),
      ],
    ],
    [
      'when a refusal names the caller, which was handed the key meanwhile',
      [
        acquire('1', [0, 1], 'a', { acquired: true, owner: 'a' }),
        acquire('2', [2, 10], 'b', { acquired: false, owner: 'b' }),
        transfer('1', [3, 4], 'a', 'b', true),
      ],
    ],
  ])('%s', (_when, history) => {
    expect(isLinearizable(history)).toBe(false);
    expect(isLinearizable(history, IN_STEPS)).toBe(true);
    // Not when nothing went on meanwhile.
    expect(isLinearizable(history.slice(0, 2), IN_STEPS)).toBe(false);
  });
});

describe('a history does not add up', () => {
  it.each<[string, readonly RecordedCall[]]>([
    [
      'when two owners were both given the key',
      [
        acquire('1', [0, 10], 'a', { acquired: true, owner: 'a' }),
        acquire('2', [5, 15], 'b', { acquired: true, owner: 'b' }),
      ],
    ],
    [
      'when a read comes after a release and still names the owner',
      [
        acquire('1', [0, 1], 'a', { acquired: true, owner: 'a' }),
        release('1', [2, 3], 'a'),
        read('2', [4, 5], 'a'),
      ],
    ],
    [
      'when a transfer from an earlier owner was granted',
      [
        acquire('1', [0, 1], 'a', { acquired: true, owner: 'a' }),
        transfer('1', [2, 3], 'a', 'b', true),
        transfer('2', [4, 5], 'a', 'c', true),
      ],
    ],
    ['when a renewal of nothing was granted', [renew('1', [0, 1], 'a', true)]],
    [
      'when a refusal names someone who never held the key',
      [
        acquire('1', [0, 1], 'a', { acquired: true, owner: 'a' }),
        acquire('2', [2, 3], 'b', { acquired: false, owner: 'c' }),
      ],
    ],
    [
      'when the holder was refused though nothing happened meanwhile',
      [
        acquire('1', [0, 1], 'a', { acquired: true, owner: 'a' }),
        acquire('1', [2, 3], 'a', { acquired: false, owner: 'a' }),
      ],
    ],
    ['when a free key was refused', [acquire('1', [0, 1], 'a', { acquired: false })]],
    ['when an answer has no shape', [acquire('1', [0, 1], 'a', [true])]],
  ])('%s', (_when, history) => {
    for (const model of [{}, WITH_EXPIRY, IN_STEPS, { ...WITH_EXPIRY, ...IN_STEPS }]) {
      expect(isLinearizable(history, model)).toBe(false);
    }
  });
});

describe('a lease that ends', () => {
  const claim = acquire('1', [0, 2], 'a', { acquired: true, owner: 'a' }, 100);

  it('may be over from its earliest end on, and must be after its latest', () => {
    expect(isLinearizable([claim, read('2', [50, 60], undefined)], WITH_EXPIRY)).toBe(false);
    expect(isLinearizable([claim, read('2', [80, 95], undefined)], WITH_EXPIRY)).toBe(true);
    expect(isLinearizable([claim, read('2', [150, 160], 'a')], WITH_EXPIRY)).toBe(true);
    expect(isLinearizable([claim, read('2', [250, 260], 'a')], WITH_EXPIRY)).toBe(false);
  });

  it('is over for all once one has seen that', () => {
    const history = [claim, read('2', [100, 110], undefined), read('3', [120, 130], 'a')];
    expect(isLinearizable(history, WITH_EXPIRY)).toBe(false);
  });

  it('is put off by a renewal that was granted', () => {
    const renewed = [claim, renew('1', [60, 62], 'a', true, 100)];
    expect(isLinearizable([...renewed, read('2', [120, 130], 'a')], WITH_EXPIRY)).toBe(true);
    expect(isLinearizable([...renewed, read('2', [120, 130], undefined)], WITH_EXPIRY)).toBe(false);
  });

  it('never ends where no bounds are given', () => {
    expect(isLinearizable([claim, read('2', [5_000, 5_001], 'a')])).toBe(true);
    expect(isLinearizable([claim, read('2', [5_000, 5_001], undefined)])).toBe(false);
  });
});

describe('shrinking', () => {
  it('leaves what contradicts itself, and nothing that came before, meanwhile or later', () => {
    const [one, two] = [
      acquire('1', [10, 20], 'a', { acquired: true, owner: 'a' }),
      acquire('2', [15, 25], 'b', { acquired: true, owner: 'b' }),
    ];
    const history = [
      acquire('1', [0, 1], 'a', { acquired: true, owner: 'a' }),
      release('1', [2, 3], 'a'),
      one,
      two,
      release('4', [12, 14], 'c'),
      read('3', [30, 31], 'b'),
      renew('1', [32, 33], 'a', false),
      release('2', [40, 41], 'b'),
    ];
    expect(shrink(history)).toEqual([one, two]);
  });

  it('keeps what could explain the rest, though that contradicts nothing by itself', () => {
    const history = [
      acquire('1', [0, 1], 'a', { acquired: true, owner: 'a' }),
      transfer('2', [2, 9], 'a', 'b', true),
      read('3', [3, 4], 'b'),
      read('3', [5, 6], 'a'),
    ];
    // Had the transfer come between the reads the other way round, they would add up.
    expect(shrink(history)).toEqual(history.slice(2));
    const released = [
      acquire('1', [0, 1], 'a', { acquired: true, owner: 'a' }),
      release('2', [2, 9], 'a'),
      read('3', [3, 4], 'a'),
      read('3', [10, 11], 'a'),
    ];
    expect(shrink(released)).toEqual([released[1], released[3]]);
  });
});

describe('a random run', () => {
  const program = (seed: number, run: number) =>
    makeProgram(seededRandom(seed, run), {
      ...{ clients: 4, keys: ['k', 'l'], steps: 16, ttlMs: TTL_MS, restMs: 0, hasTransfers: true },
    });

  it('does the same for the same seed, and something else for another seed or run', () => {
    expect(program(7, 1)).toEqual(program(7, 1));
    expect(program(7, 1)).not.toEqual(program(8, 1));
    expect(program(7, 1)).not.toEqual(program(7, 2));
  });

  it('makes every kind of call, by clients that often act for the same owner', () => {
    const calls = program(7, 1).flatMap(({ steps }) => steps);
    expect(new Set(calls.map(({ method }) => method)).size).toBe(5);
    const owners = calls.filter(({ method }) => method === 'acquireLease').map(({ args }) => args[1]);
    expect(new Set(owners)).toEqual(new Set(['owner-1', 'owner-2', 'owner-3']));
  });

  it('that no lease register can have had is shown as a time line, with what makes it again', async () => {
    const mutant = MUTANTS.find(({ name }) => name === 'acquire: GET, then SET');
    if (!mutant) throw new Error('There is no such mutant');
    const { clauses } = await runMutant(mutant, { clauses: ['linearizable'], seed: 7 });
    const [clause] = clauses;
    expect(clause?.note).toMatch(/^run \d+ of seed 7, key ~:linearizable:\d+$/);
    expect(clause?.evidence?.expected).toContain('an order of these calls in which every answer is right');
    expect(clause?.evidence?.timeLine.length).toBeLessThan(8);
    expect(clause?.evidence?.timeLine.join('\n')).toMatch(/client \d .*acquireLease\(.*→ \{ acquired: true/);
  });
});

/** One call of a random history: made one after the other by a register that is right, then stretched to overlap. */
const steps = fc.array(
  fc.record({
    client: fc.integer({ min: 1, max: 4 }),
    owner: fc.constantFrom('a', 'b', 'c'),
    to: fc.constantFrom('a', 'b', 'c'),
    verb: fc.constantFrom('acquire', 'read', 'release', 'renew', 'transfer'),
    before: fc.integer({ min: 0, max: 30 }),
    after: fc.integer({ min: 0, max: 30 }),
  }),
  { maxLength: 24 },
);

describe('whatever a right register answered', () => {
  it('adds up, however its calls overlap', () => {
    fc.assert(
      fc.property(steps, (plan) => {
        expect(isLinearizable(historyOf(plan))).toBe(true);
        expect(isLinearizable(historyOf(plan), WITH_EXPIRY)).toBe(true);
      }),
    );
  });

  it('does not add up any more once a last read names an owner that nobody was', () => {
    fc.assert(
      fc.property(steps, (plan) => {
        const history = [...historyOf(plan), read('5', [10_000, 10_001], 'nobody')];
        expect(isLinearizable(history)).toBe(false);
        expect(shrink(history)).toEqual([history.at(-1)]);
      }),
    );
  });
});

type Plan = typeof steps extends fc.Arbitrary<infer Value> ? Value : never;

/** Takes effect at 10, 20, 30 …; each client's calls stay one after the other. */
function historyOf(plan: Plan): readonly RecordedCall[] {
  const register: { holder?: string | undefined } = {};
  const freeFrom = new Map<number, number>();
  return plan.map((step, index) => {
    const { client, before, after } = step;
    const atMs = (index + 1) * 10;
    const nextOfClient = plan.findIndex((other, later) => later > index && other.client === client);
    const startMs = Math.max(freeFrom.get(client) ?? 0, atMs - before);
    const endMs = Math.min(atMs + after, nextOfClient < 0 ? Number.POSITIVE_INFINITY : nextOfClient * 10 + 5);
    freeFrom.set(client, endMs + 1);
    return takeEffect(register, step, [startMs, endMs]);
  });
}

function takeEffect(
  register: { holder?: string | undefined },
  { client, owner, to, verb }: Plan[number],
  at: readonly [number, number],
): RecordedCall {
  const name = String(client);
  const { holder } = register;
  const isOwner = holder === owner;
  switch (verb) {
    case 'acquire':
      if (holder !== undefined && !isOwner)
        return acquire(name, at, owner, { acquired: false, owner: holder });
      register.holder = owner;
      return acquire(name, at, owner, { acquired: true, owner });
    case 'read':
      return read(name, at, holder);
    case 'release':
      if (isOwner) register.holder = undefined;
      return release(name, at, owner);
    case 'renew':
      return renew(name, at, owner, isOwner);
    case 'transfer':
      if (isOwner) register.holder = to;
      return transfer(name, at, owner, to, isOwner);
  }
}
