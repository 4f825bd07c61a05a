import { NoopLeaseProvider } from '@mastra/core/events';
import { describe, expect, it } from 'vitest';
import { noopLeaseProvider } from '../../../src/providers/noop.js';

describe('the no-op provider', () => {
  it.each([
    ['acquireLease', ['k', 'a', 1_000]],
    ['acquireLease', ['k', 'b', 1_000]],
    ['getLeaseOwner', ['k']],
    ['releaseLease', ['k', 'a']],
    ['renewLease', ['k', 'nobody', 1_000]],
    ['transferLease', ['k', 'nobody', 'b', 1_000]],
  ] as const)("answers %s%j as the runtime's own fallback", async (method, args) => {
    const ours: unknown = await Reflect.apply(noopLeaseProvider[method], noopLeaseProvider, args);
    const theirs: unknown = await Reflect.apply(NoopLeaseProvider[method], NoopLeaseProvider, args);
    expect(ours).toEqual(theirs);
  });
});
