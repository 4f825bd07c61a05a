import { isLeaseProvider as mastraIsLeaseProvider, NoopLeaseProvider } from '@mastra/core/events';
import { describe, expect, it } from 'vitest';
import {
  isLeaseInspector,
  isLeaseProvider,
  isLeaseReporter,
  leaseTraitsOf,
  missingLeaseMethods,
  resolveLeaseProvider,
} from '../../../src/lease/detect.js';
import { LEASE_METHODS, type LeaseMethod } from '../../../src/lease/provider.js';

const nothing = async () => undefined;

/** An object with the contract's methods, less those named. */
function provider(without: readonly LeaseMethod[] = []): Record<string, () => Promise<undefined>> {
  const methods = LEASE_METHODS.filter((method) => !without.includes(method));
  return Object.fromEntries(methods.map((method) => [method, nothing]));
}

class InheritedProvider {
  acquireLease() {}
  getLeaseOwner() {}
  releaseLease() {}
  renewLease() {}
  transferLease() {}
}

class PrivateProvider extends InheritedProvider {
  readonly #lock = 'x';
  override acquireLease() {
    return this.#lock;
  }
}

const VALUES: readonly (readonly [what: string, value: unknown, isProvider: boolean])[] = [
  ['undefined', undefined, false],
  ['null', null, false],
  ['true', true, false],
  ['a number', 7, false],
  ['a big number', 7n, false],
  ['a string', 'acquireLease', false],
  ['an empty string', '', false],
  ['a symbol', Symbol('lease'), false],
  ['an empty object', {}, false],
  ['an empty array', [], false],
  ['a function', () => undefined, false],
  ['a class with the methods on its instances only', InheritedProvider, false],
  ['an object with the five methods', provider(), true],
  ['an object with no prototype', Object.assign(Object.create(null), provider()), true],
  ['a frozen object', Object.freeze(provider()), true],
  ['an object that inherits them', Object.create(provider()), true],
  ['an array with the five methods', Object.assign([], provider()), true],
  ['a function with the five methods', Object.assign(() => undefined, provider()), true],
  ['an instance of a class', new InheritedProvider(), true],
  ['an instance with private fields', new PrivateProvider(), true],
  ['a class with static methods', Object.assign(class {}, provider()), true],
  ['methods that are classes', { ...provider(), renewLease: InheritedProvider }, true],
  ['a proxy of a provider', new Proxy(provider(), {}), true],
  ['a proxy of a provider with private fields', new Proxy(new PrivateProvider(), {}), true],
  ['a proxy of an empty object', new Proxy({}, {}), false],
  ['a proxy that makes them up', new Proxy({}, { get: () => nothing }), true],
  ['a proxy that hides them', new Proxy(provider(), { get: () => undefined }), false],
  [
    'a proxy of a function',
    new Proxy(
      Object.assign(() => undefined, provider()),
      {},
    ),
    true,
  ],
  [
    'getters that answer methods',
    Object.defineProperties(
      {},
      Object.fromEntries(LEASE_METHODS.map((name) => [name, { get: () => nothing }])),
    ),
    true,
  ],
  [
    'a getter that answers no method',
    {
      ...provider(),
      get renewLease() {
        return 1;
      },
    },
    false,
  ],
  [
    'methods that are not enumerable',
    Object.defineProperties({}, Object.fromEntries(LEASE_METHODS.map((name) => [name, { value: nothing }]))),
    true,
  ],
  [
    'methods named by symbols',
    Object.fromEntries(LEASE_METHODS.map((name) => [Symbol.for(name), nothing])),
    false,
  ],
  ['methods whose names are written otherwise', { ...provider(['renewLease']), renewlease: nothing }, false],
  ["Mastra's fallback, which always wins", NoopLeaseProvider, true],
  ['what has them only behind getLeaseProvider()', { getLeaseProvider: () => provider() }, false],
  ...LEASE_METHODS.map((method) => [`a provider without ${method}`, provider([method]), false] as const),
  ...LEASE_METHODS.map(
    (method) =>
      [`a provider whose ${method} is no function`, { ...provider(), [method]: {} }, false] as const,
  ),
  ...LEASE_METHODS.map(
    (method) => [`a provider with nothing but ${method}`, { [method]: nothing }, false] as const,
  ),
];

describe('whether a value is a provider', () => {
  it.each(VALUES)('is answered for %s, and as Mastra answers it', (_, value, isProvider) => {
    expect(isLeaseProvider(value)).toBe(isProvider);
    expect(mastraIsLeaseProvider(value)).toBe(isProvider);
  });

  it('is asked of the receiver itself, so that getters and proxies see who is asked', () => {
    const seen: unknown[] = [];
    const value = new Proxy(provider(), {
      get(target, name, receiver) {
        seen.push(receiver);
        return Reflect.get(target, name, receiver);
      },
    });
    expect(isLeaseProvider(value)).toBe(true);
    expect(seen.every((receiver) => receiver === value)).toBe(true);
  });

  it.each([
    [
      'a getter that throws',
      {
        ...provider(['renewLease']),
        get renewLease(): never {
          throw new Error('boom');
        },
      },
    ],
    ['a proxy that was revoked', revokedProxy()],
  ])('is not guessed for %s: the throw is passed on, by Mastra too', (_, value) => {
    expect(() => mastraIsLeaseProvider(value)).toThrow();
    expect(() => isLeaseProvider(value)).toThrow();
  });
});

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable(provider(), {});
  revoke();
  return proxy;
}

describe('the methods that a value lacks', () => {
  it('are named in the order of the contract', () => {
    expect(missingLeaseMethods(provider())).toEqual([]);
    expect(missingLeaseMethods(provider(['transferLease', 'getLeaseOwner']))).toEqual([
      'getLeaseOwner',
      'transferLease',
    ]);
    for (const value of [undefined, null, 1, 'x', {}])
      expect(missingLeaseMethods(value)).toEqual(LEASE_METHODS);
  });
});

describe('the provider of a backend', () => {
  it('is the backend itself, when that is one', () => {
    const backend = provider();
    expect(resolveLeaseProvider(backend)).toEqual({ kind: 'provider', provider: backend, via: 'self' });
  });

  it('is what getLeaseProvider() answers, even when the backend has the methods too', () => {
    const inner = provider();
    const backend = { ...provider(), getLeaseProvider: () => inner };
    const resolution = resolveLeaseProvider(backend);
    expect(resolution).toMatchObject({ kind: 'provider', via: 'getLeaseProvider' });
    expect(resolution.kind === 'provider' && resolution.provider).toBe(inner);
  });

  it('is asked for on the backend, which may need its own fields for the answer', () => {
    class Caching {
      readonly #inner = provider();
      getLeaseProvider() {
        return this.#inner;
      }
    }
    expect(resolveLeaseProvider(new Caching())).toMatchObject({ kind: 'provider', via: 'getLeaseProvider' });
  });

  it('is none when getLeaseProvider() answers undefined, whatever the backend has itself', () => {
    expect(resolveLeaseProvider({ ...provider(), getLeaseProvider: () => undefined })).toEqual({
      kind: 'none',
      missing: LEASE_METHODS,
      via: 'getLeaseProvider',
    });
  });

  it('is none, with what is missing, when methods are missing', () => {
    expect(resolveLeaseProvider(provider(['renewLease']))).toEqual({
      kind: 'none',
      missing: ['renewLease'],
      via: 'self',
    });
    expect(resolveLeaseProvider(undefined)).toEqual({ kind: 'none', missing: LEASE_METHODS, via: 'self' });
  });

  it('is not looked for behind a getLeaseProvider that is no function', () => {
    const backend = { ...provider(), getLeaseProvider: true };
    expect(resolveLeaseProvider(backend)).toMatchObject({ kind: 'provider', via: 'self' });
  });
});

describe('what a provider can do beyond the contract', () => {
  it('is seen by the methods it has', () => {
    expect(isLeaseInspector({ readLease: nothing, listLeases: nothing })).toBe(true);
    expect(isLeaseInspector({ readLease: nothing })).toBe(false);
    expect(isLeaseInspector({ listLeases: nothing })).toBe(false);
    expect(isLeaseInspector(null)).toBe(false);
    const reporter = { tryAcquire: nothing, tryRelease: nothing, tryRenew: nothing, tryTransfer: nothing };
    expect(isLeaseReporter(reporter)).toBe(true);
    for (const method of Object.keys(reporter)) {
      expect(isLeaseReporter({ ...reporter, [method]: undefined })).toBe(false);
    }
    expect(isLeaseReporter(undefined)).toBe(false);
  });
});

describe('the traits of a provider', () => {
  it.each([
    [
      { atomicTransfer: true, scope: 'network' },
      { atomicTransfer: true, scope: 'network' },
    ],
    [{ atomicTransfer: false }, { atomicTransfer: false }],
    [{ scope: 'process' }, { scope: 'process' }],
    [{ scope: 'host' }, { scope: 'host' }],
    [{ atomicTransfer: 'yes', scope: 'galaxy', more: 1 }, {}],
    [{}, {}],
    [null, {}],
    ['network', {}],
    [undefined, {}],
  ])('%j are read as %j', (leaseTraits, traits) => {
    expect(leaseTraitsOf({ ...provider(), leaseTraits })).toEqual(traits);
  });

  it('are none where the provider says nothing, or is nothing', () => {
    expect(leaseTraitsOf(provider())).toEqual({});
    for (const value of [undefined, null, 1, 'x']) expect(leaseTraitsOf(value)).toEqual({});
  });

  it('are also read off a function and off a prototype', () => {
    const traits = { atomicTransfer: true };
    expect(leaseTraitsOf(Object.assign(() => undefined, { leaseTraits: traits }))).toEqual(traits);
    expect(leaseTraitsOf(Object.create({ leaseTraits: traits }))).toEqual(traits);
  });
});
