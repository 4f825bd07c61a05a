import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLines } from '../../../src/cli/recording/lines.js';
import { readRecording } from '../../../src/cli/recording/reader.js';
import { UsageError } from '../../../src/cli/usage-error.js';
import type { BackendSource } from '../../../src/lease/backend.js';
import { LEASE_EVENTS, type WatchEvent } from '../../../src/operations/watch-event.js';
import { eventJson, recordingHeadJson } from '../../../src/output/watch-json.js';

const SOURCE: BackendSource = {
  backend: 'redis://10.0.0.5:6379/0',
  foundBy: '--backend',
  keyPrefix: 'mastra:\u0007topic',
  role: 'primary',
  scope: 'network',
};
const AT_MS = Date.UTC(2026, 10, 29, 2, 14, 9, 204);

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** The bytes of a recording, as a watch writes it. */
function recorded(events: readonly WatchEvent[]): Uint8Array {
  const lines = [
    recordingHeadJson('0.1.0', AT_MS, SOURCE),
    ...events.flatMap((event) => [...eventJson(event, SOURCE)]),
  ];
  return bytesOf(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

async function* inChunks(bytes: Uint8Array, size = 65_536) {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

interface Reading {
  readonly events: readonly WatchEvent[];
  readonly problem?: string;
}

/** Reads to the end or to the first bad line. Whatever else is thrown is thrown on. */
async function read(bytes: Uint8Array, chunkSize?: number): Promise<Reading> {
  const events: WatchEvent[] = [];
  try {
    const recording = await readRecording(inChunks(bytes, chunkSize), 'incident.ndjson');
    for await (const event of recording.events) events.push(event);
    return { events };
  } catch (error) {
    if (error instanceof UsageError) return { events, problem: error.message };
    throw error;
  }
}

/** Any text that a backend can store. */
const stored = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.constantFrom('user-42\0t-1', '\0t', '\u202e\u001b[31m\n', '🧵', '\\'),
  )
  .filter((text) => text.isWellFormed());
const atMs = fc.integer({ min: 0, max: 4_000_000_000_000 });
const left = fc.option(fc.integer({ min: 0, max: 86_400_000 }), { nil: null });
const hex = fc.uint8Array({ minLength: 1, maxLength: 4 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const watched = fc.record(
  {
    key: stored,
    owner: stored,
    remainingMs: left,
    keyHex: hex,
    ownerHex: hex,
    health: fc.constantFrom('no-expiry', 'late', 'ok'),
    assumedTtlMs: fc.integer({ min: 1, max: 86_400_000 }),
  },
  { requiredKeys: ['key', 'owner'] },
);
const anyEvent: fc.Arbitrary<WatchEvent> = fc.oneof(
  fc.record({ type: fc.constant('snapshot' as const), atMs, leases: fc.array(watched, { maxLength: 4 }) }),
  fc.record(
    {
      type: fc.constantFrom(...LEASE_EVENTS),
      atMs,
      key: stored,
      keyHex: hex,
      owner: stored,
      ownerHex: hex,
      previousOwner: stored,
      remainingMs: left,
      isInferred: fc.constant(true as const),
    },
    { requiredKeys: ['type', 'atMs', 'key', 'owner'] },
  ),
  fc.record(
    {
      type: fc.constant('backend-up' as const),
      atMs,
      how: fc.constantFrom('pushed' as const, 'polling' as const),
      commandsPerSecond: fc.double({ min: 0, max: 1e6, noNaN: true, noDefaultInfinity: true }).map(Math.abs),
      intervalMs: fc.integer({ min: 1, max: 60_000 }),
      why: fc.constantFrom('', 'CLIENT TRACKING is refused'),
    },
    { requiredKeys: ['type', 'atMs', 'how', 'commandsPerSecond'] },
  ),
  fc.record({ type: fc.constant('backend-down' as const), atMs, reason: fc.constantFrom('', 'refused: 漢') }),
);

describe('a recording', () => {
  it('gives back every event as it was told, however its bytes arrive', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyEvent, { maxLength: 6 }),
        fc.integer({ min: 1, max: 200 }),
        async (events, size) => {
          expect(await read(recorded(events), size)).toEqual({ events });
        },
      ),
      { numRuns: 300 },
    );
  });

  it('says where and when it is from', async () => {
    const { head } = await readRecording(inChunks(recorded([])), 'x');
    expect(head).toEqual({ startedAtMs: AT_MS, source: SOURCE });
  });

  it('keeps a large snapshot together that is told in several lines', async () => {
    const leases = Array.from({ length: 2_500 }, (_, index) => ({
      key: `user\0${index}`,
      owner: 'run',
      remainingMs: 15_000,
    }));
    const bytes = recorded([{ type: 'snapshot', atMs: AT_MS, leases }]);
    expect((await read(bytes)).events).toEqual([{ type: 'snapshot', atMs: AT_MS, leases }]);
    const lines = Buffer.from(bytes).toString().split('\n');
    expect(lines.length - 2).toBe(3);
    expect((await read(bytesOf(lines.slice(0, 3).join('\n')))).problem).toMatch(
      /line 4: expected part 3 of the 3/,
    );
    const mixed = [lines[0], lines[1], lines[3]].join('\n');
    expect((await read(bytesOf(mixed))).problem).toMatch(
      /line 3: expected part 2 of the 3 of the snapshot from line 2/,
    );
  });

  const three: readonly WatchEvent[] = [
    { type: 'snapshot', atMs: AT_MS, leases: [] },
    { type: 'acquired', atMs: AT_MS, key: 'k', owner: 'o', remainingMs: 5 },
    { type: 'backend-down', atMs: AT_MS, reason: 'lost' },
  ];

  it('that was cut anywhere is shown up to the cut, and the line that it is in is named', async () => {
    const whole = recorded(three);
    for (let length = 0; length < whole.length; length += 1) {
      const bytes = whole.subarray(0, length);
      const complete = bytes.filter((byte) => byte === 0x0a).length;
      const isAtLineEnd = length > 0 && (bytes.at(-1) === 0x0a || whole[length] === 0x0a);
      const { events, problem } = await read(bytes);
      if (isAtLineEnd) expect(problem).toBeUndefined();
      else expect(problem).toMatch(new RegExp(`^incident.ndjson, line ${complete + 1}: expected `));
      expect(three.slice(0, events.length)).toEqual(events);
    }
  });

  it.each([
    ['nothing at all', ''],
    ['no JSON', 'acquired deploy\n'],
    ['a listing', '{"schema":"mastra-lease/lease@1","key":"k"}\n'],
    [
      'an event stream without its head',
      `${JSON.stringify([...eventJson({ type: 'snapshot', atMs: 0, leases: [] }, SOURCE)][0])}\n`,
    ],
    ['a list', '[]\n'],
  ])('is not %s, and says so by the first line', async (_, text) => {
    expect(await read(bytesOf(text))).toEqual({
      events: [],
      problem: expect.stringMatching(/^incident.ndjson, line 1: expected /),
    });
  });

  it('of another version says that it is', async () => {
    const { problem } = await read(bytesOf('{"schema":"mastra-lease/recording@2"}\n'));
    expect(problem).toMatch(/line 1: expected mastra-lease\/recording@1: this is from another version/);
  });

  it('names the first line that is no event, whatever it holds, and shows what came before', async () => {
    const values = fc.oneof(
      fc.jsonValue(),
      fc.record({ schema: fc.constant('mastra-lease/event@1'), type: fc.jsonValue() }),
      anyEvent
        .map((event) => [...eventJson(event, SOURCE)][0] ?? {})
        .chain((line) =>
          fc
            .constantFrom(...Object.keys(line))
            .chain((name) => fc.jsonValue().map((value) => ({ ...line, [name]: value }))),
        ),
    );
    const bad = fc.oneof(
      values.map((value) => bytesOf(JSON.stringify(value).replaceAll('\n', ' '))),
      fc.uint8Array({ minLength: 1, maxLength: 80 }).map((bytes) => bytes.filter((byte) => byte !== 0x0a)),
      fc.constantFrom(
        bytesOf('['.repeat(100_000)),
        bytesOf('{"__proto__":{"schema":1}}'),
        bytesOf('{"schema":"mastra-lease/event@1"'),
      ),
    );
    await fc.assert(
      fc.asyncProperty(bad, async (line) => {
        const bytes = Buffer.concat([recorded(three), line, bytesOf('\n'), bytesOf('not json\n')]);
        const { events, problem } = await read(bytes);
        // A changed field may still be an event; then the line after it is the first bad one.
        expect(problem).toMatch(/^incident.ndjson, line [56]: expected /);
        expect(events.slice(0, 3)).toEqual(three);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('lines', () => {
  it('end where one is longer than allowed, without keeping it', async () => {
    const lines: unknown[] = [];
    for await (const line of readLines(inChunks(bytesOf(`a\n${'b'.repeat(500)}`), 10), 100)) lines.push(line);
    expect(lines).toEqual([
      { number: 1, text: 'a' },
      { number: 2, text: undefined },
    ]);
  });
});
