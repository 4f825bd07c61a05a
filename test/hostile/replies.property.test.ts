import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isLeaseError } from '../../src/lease/errors.js';
import { RedisLeaseProvider } from '../../src/providers/redis/index.js';
import { helloReply, resp } from '../support/resp-replies.js';
import { type RespStub, type StubAnswer, startRespStub } from '../support/resp-stub.js';
import { expectSafe, hostileText } from './hostile-text.js';
import { runInProcess } from './in-process.js';

/** A reply as a value, so that what it says can be known without reading it as the provider does. */
type Reply =
  | { readonly kind: 'simple' | 'error' | 'bulk'; readonly text: string }
  | { readonly kind: 'integer'; readonly value: number }
  | { readonly kind: 'nil' | 'no array' }
  | { readonly kind: 'array'; readonly items: readonly Reply[] };

const line = hostileText.map((text) => text.replaceAll(/[\r\n]/g, ' '));
const code = fc.constantFrom(
  'ERR',
  'WRONGTYPE',
  'NOPERM',
  'READONLY',
  'LOADING',
  'MOVED 1 h:1',
  'ASK 1 :',
  'NOSCRIPT',
  'OOM',
  '',
);

const { reply } = fc.letrec<{ reply: Reply }>((tie) => ({
  reply: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.integer({ min: -3, max: 3 }).map((value): Reply => ({ kind: 'integer', value })),
    fc.constantFrom<Reply>({ kind: 'nil' }, { kind: 'no array' }),
    fc.oneof(hostileText, fc.constantFrom('o', '0', 'run-1')).map((text): Reply => ({ kind: 'bulk', text })),
    line.map((text): Reply => ({ kind: 'simple', text })),
    fc.tuple(code, line).map(([name, text]): Reply => ({ kind: 'error', text: `${name} ${text}` })),
    fc.array(tie('reply'), { maxLength: 5 }).map((items): Reply => ({ kind: 'array', items })),
  ),
}));

function encode(one: Reply): string {
  switch (one.kind) {
    case 'simple':
      return resp.simple(one.text);
    case 'error':
      return resp.error(one.text);
    case 'bulk':
      return resp.bulk(one.text);
    case 'integer':
      return resp.integer(one.value);
    case 'nil':
      return resp.nil;
    case 'no array':
      return '*-1\r\n';
    case 'array':
      return resp.array(...one.items.map(encode));
  }
}

let stub: RespStub;
let answer: (name: string) => StubAnswer;

beforeAll(async () => {
  stub = await startRespStub(([name = '']) => answer(name.toLowerCase()));
});
afterAll(() => stub.stop());

const VERBS = {
  acquire: (leases: RedisLeaseProvider) => leases.acquireLease('k', 'o', 1_000),
  renew: (leases: RedisLeaseProvider) => leases.renewLease('k', 'o', 1_000),
  transfer: (leases: RedisLeaseProvider) => leases.transferLease('k', 'o', 'p', 1_000),
  release: (leases: RedisLeaseProvider) => leases.releaseLease('k', 'o'),
  getLeaseOwner: (leases: RedisLeaseProvider) => leases.getLeaseOwner('k'),
  readLease: (leases: RedisLeaseProvider) => leases.readLease('k'),
  listLeases: async (leases: RedisLeaseProvider) => {
    let listed = 0;
    // A cursor that never comes to its end is not for the listing to know: whoever asked has to stop it.
    const signal = AbortSignal.timeout(1_000);
    try {
      for await (const _lease of leases.listLeases({ signal })) if (++listed === 20) break;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return listed;
  },
} as const;
type Verb = keyof typeof VERBS;

type Called = { readonly value: unknown } | { readonly error: unknown };

/** Calls one verb of a new provider, to which everything but HELLO is answered so. */
async function call(verb: Verb, hello: StubAnswer, everything: StubAnswer): Promise<Called> {
  answer = (name) => (name === 'hello' ? hello : everything);
  const leases = new RedisLeaseProvider({ url: stub.url, connection: 'one-shot', timeoutMs: 2_000 });
  try {
    return { value: await VERBS[verb](leases) };
  } catch (error) {
    return { error };
  } finally {
    await leases.close();
  }
}

function expectTypedError(called: Called): void {
  if ('value' in called) return;
  const { error } = called;
  expect(isLeaseError(error), String(error)).toBe(true);
  if (!isLeaseError(error)) return;
  expect(error.message.length).toBeLessThan(1_000);
}

/** Only such a reply may be taken for "done", by whichever verb. */
function saysDone(one: Reply): boolean {
  if (one.kind !== 'array') return false;
  const [status] = one.items;
  return status?.kind === 'integer' && (status.value === 1 || status.value === 2);
}

/** Only such a reply may be taken for "nobody holds it". */
function saysFree(one: Reply): boolean {
  if (isNil(one)) return true;
  if (one.kind !== 'array') return false;
  const [owner, left] = one.items;
  return owner === undefined || isNil(owner) || (left?.kind === 'integer' && left.value === -2);
}

function isNil({ kind }: Reply): boolean {
  return kind === 'nil' || kind === 'no array';
}

test('no reply is taken for an answer that it is not, whatever its type', async () => {
  const verb = fc.constantFrom(...(Object.keys(VERBS) as Verb[]));
  await fc.assert(
    fc.asyncProperty(verb, reply, async (name, one) => {
      const called = await call(name, helloReply('master'), encode(one));
      expectTypedError(called);
      if (!('value' in called)) return;
      const { value } = called;
      if (name === 'acquire')
        expect([saysDone(one), value]).not.toEqual([false, { acquired: true, owner: 'o' }]);
      if (name === 'renew' || name === 'transfer') expect([saysDone(one), value]).not.toEqual([false, true]);
      if (name === 'readLease' || name === 'getLeaseOwner') {
        expect([saysFree(one), value]).not.toEqual([false, undefined]);
      }
    }),
    { numRuns: 1_500 },
  );
}, 120_000);

test('no greeting makes a server the primary that did not say so', async () => {
  const verb = fc.constantFrom('getLeaseOwner' as const, 'readLease' as const);
  await fc.assert(
    fc.asyncProperty(verb, reply, async (name, greeting) => {
      const called = await call(name, encode(greeting), name === 'readLease' ? resp.array() : resp.nil);
      expectTypedError(called);
      // "Free", from a server of unknown role.
      expect(called).toHaveProperty('error');
    }),
    { numRuns: 500 },
  );
}, 120_000);

test('bytes that are no replies end a call as a failure of the connection', async () => {
  const verb = fc.constantFrom(...(Object.keys(VERBS) as Verb[]));
  const bytes = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 64 }).map((raw) => Buffer.from(raw)),
    fc.constantFrom('$99999999999999\r\n', '*1000000000\r\n', ':1e9\r\n', '\r\n', `+${'x'.repeat(100_000)}`),
    fc.constantFrom<StubAnswer>('close'),
  );
  await fc.assert(
    fc.asyncProperty(verb, bytes, async (name, raw) => {
      answer = (command) => (command === 'hello' ? helloReply('master') : raw);
      const leases = new RedisLeaseProvider({ url: stub.url, connection: 'one-shot', timeoutMs: 150 });
      const called = await VERBS[name](leases).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
      await leases.close();
      expectTypedError(called);
      if ('value' in called && name !== 'listLeases') expect(called).not.toHaveProperty('value', undefined);
    }),
    { numRuns: 150 },
  );
}, 120_000);

test('what a server says in an error is shown without what a terminal acts on', async () => {
  await fc.assert(
    fc.asyncProperty(code, line, async (name, text) => {
      answer = (command) => (command === 'hello' ? helloReply('master') : resp.error(`${name} ${text}`));
      const { stdout, stderr, exitCode } = await runInProcess(['owner', 'deploy'], {
        env: { MASTRA_LEASE_BACKEND: stub.url },
      });
      expect(exitCode).toBeGreaterThan(1);
      expectSafe(stdout);
      expectSafe(stderr);
    }),
    { numRuns: 200 },
  );
}, 120_000);
