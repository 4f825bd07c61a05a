import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidKeyError, InvalidOwnerError } from '../../../src/lease/errors.js';
import {
  assertKey,
  assertOwner,
  formatKey,
  isAmbiguousThread,
  type KeyParts,
  parseKey,
  threadKey,
} from '../../../src/lease/key.js';

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
  fc.string({ unit: fc.constantFrom('\0', ':', '"', '[', ']', ',', 'a', ' ', '\\', '\ud83d') }),
);
const textWithoutNul = anyText.map((text) => text.replaceAll('\0', ''));

/** Keys that look like the runtime's, and keys that nearly do. */
const anyKey = fc.oneof(
  anyText,
  fc
    .tuple(
      fc.constantFrom(
        'thread-claim:',
        'mastra:durable-agent-recovery:v1:',
        'mastra:durable-agent-execution:v1:',
        'workflow-step-run:',
        'notification-dispatch:',
        'schedule:',
        'thread:',
      ),
      fc.oneof(
        anyText,
        fc.tuple(anyText, anyText).map((pair) => JSON.stringify(pair)),
        fc.array(fc.oneof(anyText, fc.integer())).map((list) => JSON.stringify(list, null, 1)),
      ),
    )
    .map(([prefix, rest]) => prefix + rest),
);

describe('a key', () => {
  it('is the same after it was taken apart and put together, whatever it is', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        expect(formatKey(parseKey(key))).toBe(key);
      }),
      { numRuns: 5_000 },
    );
  });

  it.each<[string, KeyParts]>([
    ['user-42\0t-1', { kind: 'thread', resource: 'user-42', thread: 't-1' }],
    ['\0t-1', { kind: 'thread', resource: '', thread: 't-1' }],
    ['user-42\0', { kind: 'thread', resource: 'user-42', thread: '' }],
    ['\0', { kind: 'thread', resource: '', thread: '' }],
    ['schedule:x\0t', { kind: 'thread', resource: 'schedule:x', thread: 't' }],
    ['thread-claim:user-42\0t-1', { kind: 'claim', resource: 'user-42', thread: 't-1' }],
    ['thread-claim:\0t-1', { kind: 'claim', resource: '', thread: 't-1' }],
    [
      'mastra:durable-agent-recovery:v1:["weather","run-1"]',
      { kind: 'recovery', agent: 'weather', run: 'run-1' },
    ],
    [
      'mastra:durable-agent-execution:v1:["weather","run-1"]',
      { kind: 'execution', agent: 'weather', run: 'run-1' },
    ],
    ['mastra:durable-agent-recovery:v1:["a\\"b","\\u0000"]', { kind: 'recovery', agent: 'a"b', run: '\0' }],
    ['workflow-step-run:run-1:event-9', { kind: 'step', run: 'run-1', event: 'event-9' }],
    ['workflow-step-run:run-1:event:9', { kind: 'step', run: 'run-1', event: 'event:9' }],
    ['notification-dispatch:user-42', { kind: 'notification', resource: 'user-42' }],
    ['schedule:nightly', { kind: 'schedule', schedule: 'nightly' }],
  ])('%j is recognised by its form', (key, parts) => {
    expect(parseKey(key)).toEqual(parts);
    expect(formatKey(parts)).toBe(key);
  });

  it.each([
    '',
    'deploy',
    'thread:abc',
    'slack:T012345',
    'thread-claim:no-nul',
    'workflow-step-run:no-event',
    'mastra:durable-agent-recovery:v1:',
    'mastra:durable-agent-recovery:v1:not json',
    'mastra:durable-agent-recovery:v1:["one"]',
    'mastra:durable-agent-recovery:v1:["one","two","three"]',
    'mastra:durable-agent-recovery:v1:["one",2]',
    'mastra:durable-agent-recovery:v1:{"0":"one","1":"two","length":2}',
    'mastra:durable-agent-recovery:v1:["one", "two"]',
    'mastra:durable-agent-recovery:v1:["\\u006fne","two"]',
    'mastra:durable-agent-recovery:v2:["one","two"]',
    'Schedule:nightly',
    ' schedule:nightly',
  ])('%j is of no known form, and stays as it is', (key) => {
    expect(parseKey(key)).toEqual({ kind: 'other', text: key });
  });
});

describe('a thread key', () => {
  it('gives back both ids, as long as the resource has no NUL', () => {
    fc.assert(
      fc.property(textWithoutNul, anyText, (resource, thread) => {
        fc.pre(!resource.startsWith('thread-claim:'));
        expect(parseKey(threadKey({ resource, thread }))).toEqual({ kind: 'thread', resource, thread });
      }),
    );
  });

  it('is split at the first NUL, and says so when there is a second', () => {
    expect(parseKey('a\0b\0c')).toEqual({ kind: 'thread', resource: 'a', thread: 'b\0c' });
    expect(isAmbiguousThread({ resource: 'a', thread: 'b\0c' })).toBe(true);
    expect(isAmbiguousThread({ resource: 'a', thread: 'b' })).toBe(false);
    expect(isAmbiguousThread({ resource: '', thread: '' })).toBe(false);
  });

  it('is ambiguous exactly when two different pairs of ids write it', () => {
    fc.assert(
      fc.property(anyText, anyText, (resource, thread) => {
        fc.pre(!resource.startsWith('thread-claim:'));
        const parts = parseKey(threadKey({ resource, thread }));
        if (parts.kind !== 'thread') throw new Error(`a thread key was taken for ${parts.kind}`);
        expect(isAmbiguousThread(parts)).toBe(resource.includes('\0') || thread.includes('\0'));
      }),
    );
  });
});

describe.each([
  ['key', assertKey, InvalidKeyError, 'ERR_LEASE_INVALID_KEY'],
  ['owner', assertOwner, InvalidOwnerError, 'ERR_LEASE_INVALID_OWNER'],
] as const)('%s: what a backend may be given', (name, check, error, code) => {
  it('is any text that is not empty and that UTF-8 can store, unchanged', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        if (text !== '' && text.isWellFormed()) expect(check(text)).toBe(text);
        else expect(() => check(text)).toThrow(error);
      }),
    );
  });

  it.each([
    ['empty', ''],
    ['half of a surrogate pair', 'a\ud83d'],
    ['half of a surrogate pair', '\ude00b'],
  ])('is not %s', (why, text) => {
    expect(() => check(text)).toThrow(why);
    expect(() => check(text)).toThrow(name);
    expect(() => check(text)).toThrow(expect.objectContaining({ code }));
  });

  it.each([undefined, null, 7, {}, ['a'], Symbol('a'), new String('a')])(
    'is not something else than a string (%#), whatever the types said',
    (value) => {
      expect(() => Reflect.apply(check, undefined, [value])).toThrow(error);
    },
  );
});
