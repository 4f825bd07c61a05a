import { Mastra } from '@mastra/core';
import { InMemoryServerCache } from '@mastra/core/cache';
import { CachingPubSub, EventEmitterPubSub } from '@mastra/core/events';
import { expect, test } from 'vitest';
import { describeClass } from '../../../../src/backend/inspection/describe-class.js';

class Subclass extends EventEmitterPubSub {}

class OverridesSome extends EventEmitterPubSub {
  override acquireLease(key: string, owner: string, ttlMs: number) {
    return super.acquireLease(`mine:${key}`, owner, ttlMs);
  }
}

class OverridesAll extends EventEmitterPubSub {
  override async acquireLease() {
    return { acquired: false };
  }
  override async getLeaseOwner() {
    return undefined;
  }
  override async releaseLease() {}
  override async renewLease() {
    return false;
  }
  override async transferLease() {
    return false;
  }
}

test.each([
  [new EventEmitterPubSub(), 'EventEmitterPubSub', 'EventEmitterPubSub'],
  [new Subclass(), 'Subclass', 'EventEmitterPubSub'],
  [new OverridesSome(), 'OverridesSome', 'EventEmitterPubSub'],
  [new OverridesAll(), 'OverridesAll', 'OverridesAll'],
])(
  'the lease methods that run are those of a class in the chain: %#',
  (backend, className, definesLeasesIn) => {
    expect(describeClass(backend)).toEqual({ className, definesLeasesIn });
    const { pubsub } = new Mastra({ pubsub: backend, logger: false });
    expect(pubsub.constructor.name).toBe(`bound ${className}`);
    expect(describeClass(pubsub)).toEqual({ className, definesLeasesIn });
  },
);

test('without lease methods only the class is told', () => {
  const cached = new CachingPubSub(new EventEmitterPubSub(), new InMemoryServerCache());
  expect(describeClass(cached)).toEqual({ className: 'CachingPubSub' });
  expect(describeClass({})).toEqual({ className: 'Object' });
  expect(describeClass(Object.create(null))).toEqual({ className: 'anonymous' });
  expect(describeClass(undefined)).toEqual({ className: 'undefined' });
  expect(describeClass(null)).toEqual({ className: 'null' });
  expect(describeClass(Subclass)).toEqual({ className: 'Subclass' });
});

test('methods of the object itself are no class, and methods of a class itself are its own', () => {
  const own = {
    acquireLease() {},
    getLeaseOwner() {},
    releaseLease() {},
    renewLease() {},
    transferLease() {},
  };
  expect(describeClass(own)).toEqual({ className: 'Object', definesLeasesIn: 'own properties' });
});
