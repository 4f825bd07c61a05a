import { describe, expect, test } from 'vitest';
import { GuardedProvider } from '../../../src/backend/guarded-provider.js';
import { systemClock } from '../../../src/lease/clock.js';
import type { LeaseProvider } from '../../../src/lease/provider.js';

const WRITES = ['acquireLease', 'releaseLease', 'renewLease', 'transferLease'] as const;
const METHODS = ['getLeaseOwner', ...WRITES] as const;
type Method = (typeof METHODS)[number];

/** A provider of somebody else's, whose every method does this. */
function providerThat(act: (method: Method, args: readonly unknown[]) => unknown): LeaseProvider {
  return Object.fromEntries(
    METHODS.map((method) => [method, (...args: readonly unknown[]) => act(method, args)]),
  ) as unknown as LeaseProvider;
}

function guard(provider: LeaseProvider, { budgetMs = 5_000, isBoundToCaller = false } = {}): GuardedProvider {
  const foreigner = { name: 'TheirLeases', budget: () => budgetMs, clock: systemClock };
  return new GuardedProvider(provider, foreigner, { isBoundToCaller });
}

const CALLS: Readonly<Record<Method, (provider: LeaseProvider) => Promise<unknown>>> = {
  getLeaseOwner: (provider) => provider.getLeaseOwner('k'),
  acquireLease: (provider) => provider.acquireLease('k', 'o', 1_000),
  releaseLease: (provider) => provider.releaseLease('k', 'o'),
  renewLease: (provider) => provider.renewLease('k', 'o', 1_000),
  transferLease: (provider) => provider.transferLease('k', 'o', 'p', 1_000),
};

/** How a call fails. */
async function failureOf(call: Promise<unknown>): Promise<{ code: unknown; message: string }> {
  const answer = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if (!('error' in answer)) return expect.fail(`it answered ${String(answer.value)}`);
  const { error } = answer;
  if (!(error instanceof Error) || !('code' in error)) return expect.fail(String(error));
  return { code: error.code, message: error.message };
}

test('what the contract allows goes through, arguments and answers alike', async () => {
  const seen: unknown[] = [];
  const answers = {
    getLeaseOwner: 'run-1',
    acquireLease: { acquired: false, owner: 'run-1' },
    releaseLease: undefined,
    renewLease: true,
    transferLease: false,
  };
  const provider = guard(
    providerThat((method, args) => {
      seen.push([method, ...args]);
      return Promise.resolve(answers[method]);
    }),
  );
  for (const method of METHODS) expect(await CALLS[method](provider)).toEqual(answers[method]);
  expect(seen).toEqual([
    ['getLeaseOwner', 'k'],
    ['acquireLease', 'k', 'o', 1_000],
    ['releaseLease', 'k', 'o'],
    ['renewLease', 'k', 'o', 1_000],
    ['transferLease', 'k', 'o', 'p', 1_000],
  ]);
  expect(await guard(providerThat(() => undefined)).getLeaseOwner('k')).toBeUndefined();
});

test.each<[Method, unknown, string]>([
  ['acquireLease', true, 'true'],
  ['acquireLease', undefined, 'undefined'],
  ['acquireLease', null, 'null'],
  ['acquireLease', {}, 'an object with nothing'],
  ['acquireLease', { acquired: 'yes' }, 'an object with acquired'],
  ['acquireLease', { acquired: true, owner: 7 }, 'an object with acquired, owner'],
  ['acquireLease', ['run-1'], 'an array'],
  ['getLeaseOwner', null, 'null'],
  ['getLeaseOwner', 42, 'a number'],
  ['getLeaseOwner', { owner: 'hunter2' }, 'an object with owner'],
  ['renewLease', undefined, 'undefined'],
  ['renewLease', 1, 'a number'],
  ['transferLease', 'hunter2', 'a string'],
  ['transferLease', () => true, 'a function'],
])('%s that answers %j is an error that names it and what came back', async (method, answer, shown) => {
  const { code, message } = await failureOf(CALLS[method](guard(providerThat(() => answer))));
  expect(code).toBe('ERR_LEASE_UNEXPECTED_REPLY');
  expect(message).toMatch(new RegExp(`^Expected .+ from ${method} of TheirLeases, got ${shown}(;|$)`));
  expect(message).not.toContain('hunter2');
  expect(message.endsWith('; the write may have happened')).toBe(method !== 'getLeaseOwner');
});

describe('a method that never answers', () => {
  test('is given up in time: a read changed nothing', async () => {
    const provider = guard(
      providerThat(() => new Promise(() => {})),
      { budgetMs: 5 },
    );
    expect(await failureOf(provider.getLeaseOwner('k'))).toEqual({
      code: 'ERR_LEASE_UNREACHABLE',
      message: 'getLeaseOwner of TheirLeases: it did not answer in time; nothing was changed',
    });
  });

  test.each(WRITES)('is given up in time: %s may have happened', async (method) => {
    const provider = guard(
      providerThat(() => new Promise(() => {})),
      { budgetMs: 5 },
    );
    expect(await failureOf(CALLS[method](provider))).toEqual({
      code: 'ERR_LEASE_OUTCOME_UNKNOWN',
      message: `${method} of TheirLeases: it did not answer in time; the write may have happened`,
    });
  });

  test('and fails when nobody waits any more, disturbs nobody', async () => {
    const late = Promise.withResolvers<never>();
    const provider = guard(
      providerThat(() => late.promise),
      { budgetMs: 5 },
    );
    await failureOf(provider.getLeaseOwner('k'));
    late.reject(new Error('too late'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});

describe('a method that fails', () => {
  const thrown = (error: unknown) => guard(providerThat(() => Promise.reject(error)));
  const withCode = (message: string, code: string) => Object.assign(new Error(message), { code });

  test('at once is as one that rejects', async () => {
    const provider = guard(
      providerThat(() => {
        throw new Error('not today');
      }),
    );
    expect((await failureOf(provider.renewLease('k', 'o', 1))).message).toBe(
      'renewLease of TheirLeases: it failed: not today; the write may have happened',
    );
  });

  test.each([
    ['ECONNREFUSED', withCode('connect ECONNREFUSED 10.0.0.5:6379', 'ECONNREFUSED')],
    [
      'ENOTFOUND',
      new Error('no connection', { cause: withCode('getaddrinfo ENOTFOUND cache', 'ENOTFOUND') }),
    ],
    ['READONLY', new Error("READONLY You can't write against a read only replica.")],
    ['OOM', new Error("OOM command not allowed when used memory > 'maxmemory'.")],
  ])('before anything was sent, or refused for now (%s), changed nothing', async (_, error) => {
    for (const method of METHODS) {
      expect(await failureOf(CALLS[method](thrown(error)))).toMatchObject({ code: 'ERR_LEASE_UNREACHABLE' });
    }
  });

  test.each([
    ['NOPERM User worker has no permissions to run the command', 'ERR_LEASE_NOT_PERMITTED'],
    ['WRONGPASS invalid username-password pair or user is disabled.', 'ERR_LEASE_NOT_PERMITTED'],
    ['WRONGTYPE Operation against a key holding the wrong kind of value', 'ERR_LEASE_WRONG_TYPE'],
  ])('by an error reply of Redis that says why is that: %s', async (message, code) => {
    for (const method of METHODS) {
      expect(await failureOf(CALLS[method](thrown(new Error(message))))).toMatchObject({
        code,
        message: `${method} of TheirLeases: it failed: ${message}; nothing was changed`,
      });
    }
  });

  test('in any other way leaves a write unknown', async () => {
    const reset = withCode('read ECONNRESET', 'ECONNRESET');
    expect(await failureOf(thrown(reset).getLeaseOwner('k'))).toMatchObject({
      code: 'ERR_LEASE_UNREACHABLE',
    });
    for (const method of WRITES) {
      expect(await failureOf(CALLS[method](thrown(reset)))).toMatchObject({
        code: 'ERR_LEASE_OUTCOME_UNKNOWN',
      });
    }
  });

  test.each([
    [
      new Error('redis://user:hunter2@cache:6379 is down\nredis://user:hunter2@cache'),
      'redis://…@cache:6379 is down',
    ],
    [withCode('', 'ETIMEDOUT'), 'ETIMEDOUT'],
    [new TypeError(''), 'TypeError'],
    ['rediss://:hunter2@cache', 'rediss://…@cache'],
    [undefined, 'undefined'],
    [Object.create(null), 'an object with nothing'],
    [Symbol('no'), 'a symbol'],
  ])('tells one line of what it threw, and no password', async (error, shown) => {
    const { message } = await failureOf(thrown(error).getLeaseOwner('k'));
    expect(message).toBe(`getLeaseOwner of TheirLeases: it failed: ${shown}; nothing was changed`);
  });
});

test('what no provider could store is refused before it is called', async () => {
  let calls = 0;
  const provider = guard(
    providerThat(() => {
      calls += 1;
    }),
  );
  const codes = await Promise.all(
    [
      provider.getLeaseOwner(''),
      provider.acquireLease('k\ud800', 'o', 1_000),
      provider.releaseLease('k', ''),
      provider.renewLease('k', 'o', 0),
      provider.transferLease('k', 'o', '\ud800', 1_000),
    ].map(async (call) => (await failureOf(call)).code),
  );
  expect(codes).toEqual([
    'ERR_LEASE_INVALID_KEY',
    'ERR_LEASE_INVALID_KEY',
    'ERR_LEASE_INVALID_OWNER',
    'ERR_LEASE_INVALID_TTL',
    'ERR_LEASE_INVALID_OWNER',
  ]);
  expect(calls).toBe(0);
});

test('where a lease ends with its process, none is taken, but one can be read and given back', async () => {
  const calls: Method[] = [];
  const provider = guard(
    providerThat((method) => {
      calls.push(method);
    }),
    { isBoundToCaller: true },
  );
  for (const method of ['acquireLease', 'renewLease', 'transferLease'] as const) {
    expect(await failureOf(CALLS[method](provider))).toMatchObject({ code: 'ERR_LEASE_UNSUPPORTED' });
  }
  await provider.getLeaseOwner('k');
  await provider.releaseLease('k', 'o');
  expect(calls).toEqual(['getLeaseOwner', 'releaseLease']);
});
