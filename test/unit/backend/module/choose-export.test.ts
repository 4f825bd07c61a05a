import { EventEmitterPubSub } from '@mastra/core/events';
import { describe, expect, it } from 'vitest';
import { chooseBackend } from '../../../../src/backend/module/choose-export.js';
import { MemoryLeaseProvider } from '../../../../src/providers/memory.js';

const FILE = '/app/src/leases.ts';
const pubsub = { publish() {}, subscribe() {} };

function choose(exports: Readonly<Record<string, unknown>>, exportName?: string, deadlineMs = 5_000) {
  return chooseBackend(exports, { exportName, file: FILE, deadlineMs });
}

async function failureOf(chosen: Promise<unknown>): Promise<{ message: string; remedy: string }> {
  const error: unknown = await chosen.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: 'ERR_LEASE_INVALID_CONFIG' });
  return {
    message: '',
    remedy: '',
    ...Object(error),
    ...(error instanceof Error && { message: error.message }),
  };
}

class Leases extends MemoryLeaseProvider {}

/** As a `Mastra` is: made by no class that we know. */
function makeMastra(fields: object) {
  return { getAgent() {}, getWorkflow() {}, ...fields };
}

describe('without a name', () => {
  it('takes mastra before pubsub before default before any other', async () => {
    const exports: Record<string, unknown> = {
      other: new MemoryLeaseProvider(),
      default: new MemoryLeaseProvider(),
      pubsub: new EventEmitterPubSub(),
      mastra: makeMastra({ pubsub }),
    };
    for (const [name, path] of [
      ['mastra', ['export mastra', '.pubsub']],
      ['pubsub', ['export pubsub']],
      ['default', ['export default']],
      ['other', ['export other']],
    ] as const) {
      expect((await choose(exports)).path).toEqual(path);
      delete exports[name];
    }
  });

  it('passes over what cannot be one, whatever its name', async () => {
    const leases = new MemoryLeaseProvider();
    const exports = {
      mastra: 'a name',
      pubsub: { topic: 'x' },
      default: (request: Request) => request,
      leases,
    };
    expect(await choose(exports)).toEqual({ backend: leases, path: ['export leases'] });
  });

  it('takes the only other that fits, under whichever of its names', async () => {
    const leases = new MemoryLeaseProvider();
    expect((await choose({ region: 'eu', first: leases, second: leases })).path).toEqual(['export first']);
    expect((await choose({ region: 'eu', Leases })).path).toEqual(['export Leases', 'a new instance']);
  });

  it('lists and refuses several', async () => {
    const exports = { a: new MemoryLeaseProvider(), b: pubsub, Leases, region: 'eu' };
    const { message, remedy } = await failureOf(choose(exports));
    expect(message).toBe(`${FILE} has several exports that can be the backend: a, b, Leases`);
    expect(remedy).toBe(`name the one that is meant: ${FILE}#a`);
  });

  it('calls a function only when nothing else can be meant', async () => {
    const calls: string[] = [];
    const reset = () => calls.push('reset');
    const makeLeases = async () => new MemoryLeaseProvider();
    expect((await choose({ reset, leases: new MemoryLeaseProvider() })).path).toEqual(['export leases']);
    expect((await failureOf(choose({ reset, makeLeases }))).message).toContain('several exports');
    expect((await choose({ makeLeases, connectTo: (url: string) => url })).path).toEqual([
      'export makeLeases',
      'its result',
    ]);
    expect(calls).toEqual([]);
  });

  it('says what there is when nothing fits', async () => {
    const exports = { region: 'eu', limits: { a: 1 }, tags: [], none: null, connectTo: (url: string) => url };
    const { message, remedy } = await failureOf(choose(exports));
    expect(message).toBe(
      `${FILE} exports nothing that can be a backend; it exports region (a string), limits (an object of another kind), tags (an array), none (null), connectTo (a function)`,
    );
    expect(remedy).toContain('getLeaseProvider()');
    expect((await failureOf(choose({}))).message).toContain('it exports nothing');
  });
});

describe('by name', () => {
  it('takes that one', async () => {
    const b = new MemoryLeaseProvider();
    expect(await choose({ a: new MemoryLeaseProvider(), b }, 'b')).toEqual({
      backend: b,
      path: ['export b'],
    });
  });

  it('says what there is when it does not exist', async () => {
    const exports = { mastra: makeMastra({}), leases: pubsub, Leases };
    const { message } = await failureOf(choose(exports, 'toString'));
    expect(message).toBe(
      `${FILE} has no export toString; it exports mastra (a Mastra), leases (a backend), Leases (a class)`,
    );
  });

  it('says what it is when it is no backend', async () => {
    expect((await failureOf(choose({ region: 'eu' }, 'region'))).message).toBe(
      `${FILE}: region is a string, which is no backend`,
    );
  });
});

describe('what an export may be', () => {
  const withoutTransfer = { acquireLease() {}, getLeaseOwner() {}, releaseLease() {}, renewLease() {} };
  const wrapping = { getLeaseProvider: () => undefined };

  it.each([
    ['a provider', new MemoryLeaseProvider()],
    ['a provider without some methods, which is told later', withoutTransfer],
    ['a pubsub, leasing or not', pubsub],
    ['what has a lease provider', wrapping],
    ['a function with the methods', Object.assign(() => {}, withoutTransfer)],
  ])('%s', async (_, backend) => {
    expect(await choose({ backend }, 'backend')).toEqual({ backend, path: ['export backend'] });
  });

  it('a class, a function, a promise, one leading to the other', async () => {
    const leases = new MemoryLeaseProvider();
    const ways: Record<string, readonly [unknown, readonly string[]]> = {
      promised: [Promise.resolve(leases), ['its value']],
      make: [() => leases, ['its result']],
      makeLater: [async () => leases, ['its result']],
      makeClass: [() => Leases, ['its result', 'a new instance']],
      makeMastra: [async () => makeMastra({ pubsub: leases }), ['its result', '.pubsub']],
    };
    for (const [name, [value, path]] of Object.entries(ways)) {
      const chosen = await choose({ [name]: value }, name);
      expect(chosen.backend).toBeInstanceOf(MemoryLeaseProvider);
      expect(chosen.path).toEqual([`export ${name}`, ...path]);
    }
  });

  it('a class without class, as old compilers made them', async () => {
    function Old() {}
    Object.assign(Old.prototype, pubsub);
    expect((await choose({ Old })).path).toEqual(['export Old', 'a new instance']);
  });

  it('never something that leads round and round', async () => {
    const again = (): unknown => again;
    expect((await failureOf(choose({ again }))).message).toContain(
      'again()()()()() is a function, which is no backend',
    );
  });
});

describe('what fails on the way', () => {
  class Failing {
    constructor() {
      throw new RangeError('no region\nand more');
    }
    publish() {}
    subscribe() {}
  }

  it.each([
    ['a constructor', { Failing }, /: new Failing\(\) failed: RangeError: no region \(at .+:\d+\)$/],
    ['a function', { make: () => JSON.parse('{') }, /: make\(\) failed: SyntaxError: /],
    ['a rejection', { make: async () => Promise.reject('no') }, /: make\(\) failed: it threw "no"$/],
    ['a result', { make: () => undefined }, /: make\(\) is undefined, which is no backend$/],
    [
      'a Mastra without a pubsub',
      { mastra: makeMastra({}) },
      /: mastra\.pubsub is undefined, which is no backend$/,
    ],
  ])('is named: %s', async (_, exports, message) => {
    expect((await failureOf(choose(exports))).message).toMatch(message);
  });

  it('is named when it does not settle', async () => {
    const make = () => new Promise(() => {});
    expect((await failureOf(choose({ make }, 'make', 50))).message).toBe(
      `${FILE}: make() did not settle in time`,
    );
    expect((await failureOf(choose({ made: make() }, 'made', 50))).message).toBe(
      `${FILE}: await made did not settle in time`,
    );
  });
});
