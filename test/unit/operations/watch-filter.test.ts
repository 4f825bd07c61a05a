import { describe, expect, it } from 'vitest';
import type { LeaseEvent, WatchEvent } from '../../../src/operations/watch-event.js';
import { filterEvents, type WatchFilter } from '../../../src/operations/watch-filter.js';

const event = (
  type: LeaseEvent['type'],
  key: string,
  owner: string,
  more: Partial<LeaseEvent> = {},
): LeaseEvent => ({
  type,
  atMs: 0,
  key,
  owner,
  ...(type === 'released' || type === 'expired' ? {} : { remainingMs: 9_000 }),
  ...more,
});
const snapshot = (...leases: readonly (readonly [key: string, owner: string])[]): WatchEvent => ({
  type: 'snapshot',
  atMs: 0,
  leases: leases.map(([key, owner]) => ({
    key,
    owner,
    remainingMs: 9_000,
    health: 'ok',
  })),
});
const DOWN = { type: 'backend-down', atMs: 0, reason: 'lost' } as const;

/** What comes through, in short. */
async function passed(filter: WatchFilter, events: readonly WatchEvent[]): Promise<readonly string[]> {
  async function* source() {
    yield* events;
  }
  const words: string[] = [];
  for await (const one of filterEvents(source(), filter)) {
    if (one.type === 'snapshot') words.push(`[${one.leases.map(({ key }) => key).join(' ')}]`);
    else words.push('key' in one ? `${one.type} ${one.key} ${one.owner}` : one.type);
  }
  return words;
}

const A = 'user-1\0a';
const B = 'user-2\0b';

describe('a filter', () => {
  it('lets all through when it asks for nothing, and the backend always', async () => {
    expect(await passed({}, [snapshot([A, 'x']), event('acquired', B, 'y'), DOWN])).toEqual([
      `[${A}]`,
      `acquired ${B} y`,
      'backend-down',
    ]);
    expect(await passed({ owner: 'nobody' }, [snapshot([A, 'x']), DOWN])).toEqual(['[]', 'backend-down']);
  });

  it.each([
    ['a pattern', { pattern: 'user-1' }],
    ['a kind and a thread', { kind: 'thread', thread: 'a' }],
    ['an owner', { owner: 'x' }],
    ['a key', { keys: [A] }],
  ] as const)('by %s takes what matches, to its end', async (_, filter) => {
    expect(
      await passed(filter, [
        snapshot([A, 'x'], [B, 'y']),
        event('renewed', A, 'x'),
        event('renewed', B, 'y'),
        event('released', B, 'y'),
        event('expired', A, 'x'),
      ]),
    ).toEqual([`[${A}]`, `renewed ${A} x`, `expired ${A} x`]);
  });

  it('follows a lease that it has shown to whoever gets it, and forgets it when it ends', async () => {
    expect(
      await passed({ owner: 'x' }, [
        snapshot([A, 'x']),
        event('transferred', A, 'y', { previousOwner: 'x' }),
        event('renewed', A, 'y'),
        snapshot([A, 'y'], [B, 'y']),
        event('released', A, 'y'),
        event('acquired', A, 'z'),
        event('transferred', B, 'x', { previousOwner: 'y' }),
      ]),
    ).toEqual([
      `[${A}]`,
      `transferred ${A} y`,
      `renewed ${A} y`,
      `[${A}]`,
      `released ${A} y`,
      `transferred ${B} x`,
    ]);
  });

  it('still tells the end of a lease that a snapshot no longer has', async () => {
    expect(await passed({ owner: 'x' }, [snapshot([A, 'x']), snapshot(), event('released', A, 'x')])).toEqual(
      [`[${A}]`, '[]', `released ${A} x`],
    );
  });

  it('by health shows a lease from when it is so', async () => {
    expect(
      await passed({ health: 'late' }, [
        snapshot([A, 'x']),
        event('renewed', A, 'x'),
        event('late', A, 'x'),
        event('renewed', A, 'x'),
        event('expired', A, 'x'),
        event('acquired', A, 'x'),
      ]),
    ).toEqual(['[]', `late ${A} x`, `renewed ${A} x`, `expired ${A} x`]);
    expect(await passed({ health: 'no-expiry' }, [event('acquired', A, 'x', { remainingMs: null })])).toEqual(
      [`acquired ${A} x`],
    );
  });
});
