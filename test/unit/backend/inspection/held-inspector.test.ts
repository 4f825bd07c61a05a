import { Mastra } from '@mastra/core';
import { EventEmitterPubSub } from '@mastra/core/events';
import { expect, onTestFinished, test } from 'vitest';
import { findHeldInspector } from '../../../../src/backend/inspection/held-inspector.js';
import { introspectProvider } from '../../../../src/backend/inspection/introspect.js';
import { RedisLeaseProvider } from '../../../../src/providers/redis/index.js';

/** Hands its leases on to a provider of this library, as the README shows. */
class HandsOn extends EventEmitterPubSub {
  readonly #leases: RedisLeaseProvider;

  constructor(leases: RedisLeaseProvider) {
    super();
    this.#leases = leases;
  }

  override getLeaseOwner(key: string) {
    return this.#leases.getLeaseOwner(key);
  }
}

test('a provider of this library inside a pubsub is found, also behind the proxy', async () => {
  const leases = new RedisLeaseProvider({ url: 'redis://:secret@127.0.0.1:1/4', keyPrefix: 'mine' });
  onTestFinished(() => leases.close());
  const pubsub = new HandsOn(leases);
  for (const provider of [pubsub, new Mastra({ pubsub, logger: false }).pubsub]) {
    const found = await findHeldInspector(provider);
    expect(found?.inspector).toBe(leases);
    expect(found).toMatchObject({ name: 'redis://127.0.0.1:1/4', keyPrefix: 'mine' });
  }
  expect(await introspectProvider(pubsub)).toBeUndefined();
});

test('without one there is nothing', async () => {
  expect(await findHeldInspector(new EventEmitterPubSub())).toBeUndefined();
  expect(await findHeldInspector(undefined)).toBeUndefined();
});
