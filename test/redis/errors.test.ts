import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { LeaseErrorCode } from '../../src/lease/errors.js';
import { type RedisLeaseOptions, RedisLeaseProvider } from '../../src/providers/redis/index.js';
import { makeCertificates } from '../support/certificates.js';
import { findFreePort } from '../support/free-port.js';
import { type RedisServer, startRedis, startReplicaPair } from '../support/redis-server.js';
import { helloReply, resp } from '../support/resp-replies.js';
import { startRespStub } from '../support/resp-stub.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { codeOf, failureOf, openProvider, readAll, recordOf, VERB_NAMES, VERBS } from './open-provider.js';

const SECRET = 'S3cret-never-shown';

let server: RedisServer;

beforeAll(async () => {
  server = await startRedis({
    password: SECRET,
    aclUsers: {
      nobody: `on >${SECRET} -@all ~*`,
      elsewhere: `on >${SECRET} +@all ~other:*`,
      passwordless: 'on nopass +@all ~*',
    },
  });
});

afterAll(() => server.stop());

interface Expected {
  readonly code: LeaseErrorCode;
  readonly says: RegExp;
  readonly remedy: RegExp;
}

/** Every verb and the listing have to fail like this, one-shot and kept. */
async function expectAll(
  url: string,
  { code, says, remedy }: Expected,
  options: Omit<RedisLeaseOptions, 'url'> = {},
) {
  for (const connection of ['one-shot', 'kept'] as const) {
    const provider = openProvider(url, { connection, ...options });
    for (const verb of VERB_NAMES) {
      const error = await failureOf(VERBS[verb](provider, 'k'), SECRET);
      expect({ verb, code: error.code, message: error.message, remedy: error.remedy }).toEqual({
        verb,
        code,
        message: expect.stringMatching(says),
        remedy: expect.stringMatching(remedy),
      });
      expect(error.message).not.toContain('\n');
    }
    const { leases, error } = await readAll(provider);
    expect({ leases, error }).toEqual({ leases: [], error: expect.objectContaining({ code }) });
  }
}

function url(scheme: string, port: number, credentials = ''): string {
  return `${scheme}://${credentials}127.0.0.1:${port}`;
}

describe('who does not answer', () => {
  test('a refused connection', async () => {
    await expectAll(url('redis', await findFreePort(), `:${SECRET}@`), {
      code: 'ERR_LEASE_UNREACHABLE',
      says: /connection refused/,
      remedy: /is the server running/,
    });
  });

  test('a name with several addresses, each refused', async () => {
    const error = await failureOf(openProvider(`redis://localhost:${await findFreePort()}`).readLease('k'));
    expect([error.code, error.message]).toEqual([
      'ERR_LEASE_UNREACHABLE',
      expect.stringContaining('connection refused'),
    ]);
  });

  test('a host name that does not resolve', async () => {
    await expectAll(`redis://:${SECRET}@no-such-host.invalid:6379`, {
      code: 'ERR_LEASE_UNREACHABLE',
      says: /host name/,
      remedy: /check the host/,
    });
  });

  test('a unix socket that is not there', async () => {
    await expectAll('redis+unix:///nowhere/redis.sock', {
      code: 'ERR_LEASE_UNREACHABLE',
      says: /no such socket/,
      remedy: /path of the socket/,
    });
  });

  test.each(VERB_NAMES)('%s on a server that swallows everything ends by its timeout', async (verb) => {
    await using open = await startRedis();
    await using proxy = await startTcpProxy(open);
    proxy.pause();
    const startedAt = performance.now();
    const code = await codeOf(VERBS[verb](openProvider(proxy.url, { timeoutMs: 1_000 }), 'k'));
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    expect(code).toBe(
      verb === 'getLeaseOwner' || verb === 'readLease'
        ? 'ERR_LEASE_UNREACHABLE'
        : 'ERR_LEASE_OUTCOME_UNKNOWN',
    );
  });

  test('a black hole during the login is unreachable for writes too: the verb was never sent', async () => {
    await using proxy = await startTcpProxy(server);
    proxy.pause('down');
    const provider = openProvider(proxy.url, { timeoutMs: 200 });
    const error = await failureOf(provider.acquireLease('k', 'o', 1_000), SECRET);
    expect(error.code).toBe('ERR_LEASE_UNREACHABLE');
    expect(error.message).toMatch(/logging in/);
  });

  test('a connection that is closed during the login is unreachable for writes too', async () => {
    await using proxy = await startTcpProxy(server);
    const dropped = proxy.dropNextReply({ command: 'auth' });
    expect(await codeOf(openProvider(proxy.url).acquireLease('k', 'o', 1_000))).toBe('ERR_LEASE_UNREACHABLE');
    await dropped;
  });
});

describe('who refuses', () => {
  test('a wrong password', async () => {
    await expectAll(url('redis', server.port, `:${SECRET}x@`), {
      code: 'ERR_LEASE_NOT_PERMITTED',
      says: /refused the user name or the password/,
      remedy: /check the user name and password/,
    });
  });

  test('a missing password', async () => {
    await expectAll(url('redis', server.port), {
      code: 'ERR_LEASE_NOT_PERMITTED',
      says: /asks for a login/,
      remedy: /check the user name and password/,
    });
  });

  test('a password for a server without one', async () => {
    await using open = await startRedis();
    await expectAll(url('redis', open.port, `:${SECRET}@`), {
      code: 'ERR_LEASE_NOT_PERMITTED',
      says: /has no password/,
      remedy: /leave it out/,
    });
  });

  test('a user without a password is that user, not the default one', async () => {
    await expectAll(url('redis', server.port, 'nobody@'), {
      code: 'ERR_LEASE_NOT_PERMITTED',
      says: /refused the user name or the password/,
      remedy: /check the user name and password/,
    });
    const provider = openProvider(url('redis', server.port, 'passwordless@'));
    expect(await provider.getLeaseOwner('free')).toBeUndefined();
  });

  test('a user who may run nothing', async () => {
    await expectAll(url('redis', server.port, `nobody:${SECRET}@`), {
      code: 'ERR_LEASE_NOT_PERMITTED',
      says: /not permitted.*NOPERM/,
      remedy: /ACL/,
    });
  });

  test('a user whose keys are others', async () => {
    const provider = openProvider(url('redis', server.port, `elsewhere:${SECRET}@`));
    for (const verb of VERB_NAMES) {
      expect([verb, await codeOf(VERBS[verb](provider, 'k'))]).toEqual([verb, 'ERR_LEASE_NOT_PERMITTED']);
    }
    await (await server.client()).set(recordOf('k'), 'o', 'PX', 10_000);
    const { leases, error } = await readAll(provider);
    expect(leases).toEqual([]);
    expect(error).toMatchObject({ code: 'ERR_LEASE_NOT_PERMITTED' });
  });

  test('protected mode', async () => {
    const denied =
      'DENIED Redis is running in protected mode because protected mode is enabled and no password is set for the ' +
      'default user. In this mode connections are only accepted from the loopback interface. 1) Just disable it';
    const listener = createServer((socket) => socket.end(resp.error(denied)));
    const port = await listen(listener);
    await expectAll(url('redis', port), {
      code: 'ERR_LEASE_NOT_PERMITTED',
      says: /protected mode/,
      remedy: /from that host/,
    });
  });

  test('too many clients, with and without a login', async () => {
    await using full = await startRedis({ args: ['--maxclients', '1'] });
    const only = await full.client();
    const expected: Expected = {
      code: 'ERR_LEASE_UNREACHABLE',
      says: /maximum number of clients/,
      remedy: /maxclients/,
    };
    await expectTurnedAway(url('redis', full.port, `:${SECRET}@`), expected);
    await expectTurnedAway(url('redis', full.port), expected);
    only.disconnect();
  });

  test('an AUTH that the server does not have is never quoted with its password', async () => {
    await using odd = await startRedis({ args: ['--rename-command', 'AUTH', ''] });
    await expectAll(url('redis', odd.port, `someone:${SECRET}@`), {
      code: 'ERR_LEASE_UNSUPPORTED',
      says: /AUTH is not available/,
      remedy: /disabled/,
    });
    await using chatty = await startRespStub(([name, ...args]) =>
      resp.error(`ERR bad ${name} ${args.join(' ')}`),
    );
    await expectAll(url('redis', chatty.port, `someone:${SECRET}@`), {
      code: 'ERR_LEASE_NOT_PERMITTED',
      says: /refused to log in/,
      remedy: /check the user name and password/,
    });
  });
});

/** A real server that turns a connection away may reset it before its reason is read: it has then been sent to. */
async function expectTurnedAway(to: string, { code, says }: Expected): Promise<void> {
  await waitFor(async () => {
    const error = await failureOf(openProvider(to).acquireLease('k', 'o', 1_000), SECRET);
    expect([code, 'ERR_LEASE_OUTCOME_UNKNOWN']).toContain(error.code);
    return says.test(error.message);
  });
}

describe('who is not ready', () => {
  const NOT_READY: readonly (readonly [string, RegExp])[] = [
    ['LOADING Redis is loading the dataset in memory', /loading its data/],
    ['MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist', /MISCONF/],
    ['BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.', /BUSY/],
    ['CLUSTERDOWN The cluster is down', /cluster is down/],
    ['MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to no.', /lost its primary/],
    ['NOREPLICAS Not enough good replicas to write.', /NOREPLICAS/],
    [
      "ERR Error running script (call to f_1): @user_script:1: OOM command not allowed when used memory > 'maxmemory'.",
      /out of memory/,
    ],
  ];
  test.each(NOT_READY)('%s', async (reply, says) => {
    await using stub = await startRespStub(([name]) =>
      name === 'hello' ? helloReply('master') : resp.error(reply),
    );
    const provider = openProvider(stub.url);
    for (const verb of ['acquire', 'readLease'] as const) {
      const error = await failureOf(VERBS[verb](provider, 'k'));
      expect([error.code, error.message]).toEqual(['ERR_LEASE_UNREACHABLE', expect.stringMatching(says)]);
      expect(error.remedy).toBeTruthy();
    }
    expect((await readAll(provider)).error).toMatchObject({ code: 'ERR_LEASE_UNREACHABLE' });
  });

  test('LOADING refuses HELLO too', async () => {
    await using stub = await startRespStub(() =>
      resp.error('LOADING Redis is loading the dataset in memory'),
    );
    await expectAll(stub.url, {
      code: 'ERR_LEASE_UNREACHABLE',
      says: /loading its data/,
      remedy: /try again/,
    });
  });

  test('a real server without memory refuses an acquire and nothing else', async () => {
    await using small = await startRedis({ args: ['--maxmemory', '1', '--maxmemory-policy', 'noeviction'] });
    const provider = openProvider(small.url);
    const error = await failureOf(provider.acquireLease('k', 'o', 1_000));
    expect([error.code, error.message]).toEqual([
      'ERR_LEASE_UNREACHABLE',
      expect.stringMatching(/out of memory.*nothing was changed/),
    ]);
    expect(await provider.getLeaseOwner('k')).toBeUndefined();
    expect((await readAll(provider)).error).toBeUndefined();
  });

  test('a real busy server refuses, and answers when it is free again', async () => {
    await using busy = await startRedis({ args: ['--busy-reply-threshold', '1'] });
    const blocker = await busy.client();
    const killer = await busy.client();
    const provider = openProvider(busy.url);
    const loop = blocker.eval('while true do end', 0).catch(() => {});
    const error = await waitFor(async () => {
      const failure = await provider.getLeaseOwner('k').catch((reason: unknown) => reason);
      return failure instanceof Error && failure;
    });
    expect(error).toMatchObject({ code: 'ERR_LEASE_UNREACHABLE', message: expect.stringContaining('BUSY') });
    await killer.call('SCRIPT', 'KILL');
    await loop;
    expect(await provider.getLeaseOwner('k')).toBeUndefined();
  });

  test('a real server that cannot save refuses writes with MISCONF', async () => {
    await using broken = await startRedis({ args: ['--save', '3600 1', '--dir', '/proc'] });
    const admin = await broken.client();
    await admin.set('dirty', '1');
    await admin.bgsave().catch(() => {});
    const provider = openProvider(broken.url);
    const error = await waitFor(async () => {
      const failure = await provider.acquireLease('k', 'o', 1_000).catch((reason: unknown) => reason);
      return failure instanceof Error && failure;
    });
    expect(error).toMatchObject({
      code: 'ERR_LEASE_UNREACHABLE',
      message: expect.stringContaining('MISCONF'),
    });
  });
});

describe('who is something else', () => {
  test('a topic at the key is another type, and is left alone', async () => {
    await using open = await startRedis();
    const direct = await open.client();
    await direct.xadd(recordOf('k'), '*', 'event', '{}');
    const provider = openProvider(open.url);
    for (const verb of VERB_NAMES) {
      const error = await failureOf(VERBS[verb](provider, 'k'));
      expect([verb, error.code, error.remedy]).toEqual([
        verb,
        'ERR_LEASE_WRONG_TYPE',
        expect.stringContaining('--key-prefix'),
      ]);
    }
    expect(await direct.xlen(recordOf('k'))).toBe(1);
  });

  test('a server of another protocol is no reason to fear for the lease', async () => {
    const listener = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'));
    });
    await expectAll(url('redis', await listen(listener)), {
      code: 'ERR_LEASE_UNREACHABLE',
      says: /does not speak Redis.*nothing was changed/,
      remedy: /host and port/,
    });
  });

  test('bytes that are no RESP in the middle of a connection leave a write unknown', async () => {
    await using stub = await startRespStub(([name]) =>
      name === 'hello' ? helloReply('master') : 'HTTP/1.1 400\r\n',
    );
    expect(await codeOf(openProvider(stub.url).acquireLease('k', 'o', 1_000))).toBe(
      'ERR_LEASE_OUTCOME_UNKNOWN',
    );
  });

  test.each(['+OK\r\n', ':7\r\n', '*0\r\n', '*3\r\n:9\r\n$1\r\no\r\n:5\r\n', '*1\r\n$1\r\no\r\n'])(
    'a reply of no known shape, %j, is never taken for an answer',
    async (reply) => {
      await using stub = await startRespStub(([name]) => (name === 'hello' ? helloReply('master') : reply));
      const provider = openProvider(stub.url, { connection: 'one-shot' });
      for (const verb of ['acquire', 'renew', 'transfer', 'release'] as const) {
        expect([verb, await codeOf(VERBS[verb](provider, 'k'))]).toEqual([
          verb,
          'ERR_LEASE_UNEXPECTED_REPLY',
        ]);
      }
      const { error } = await readAll(provider);
      expect(error).toMatchObject({ code: 'ERR_LEASE_UNEXPECTED_REPLY' });
    },
  );

  test('a Sentinel asked as if it were a server is told to be one', async () => {
    await using stub = await startRespStub(([name]) =>
      name === 'hello'
        ? helloReply('master').replace('$10\r\nstandalone', '$8\r\nsentinel')
        : resp.error("ERR unknown command 'EVAL', with args beginning with: "),
    );
    await expectAll(stub.url, {
      code: 'ERR_LEASE_INVALID_CONFIG',
      says: /is a Sentinel/,
      remedy: /redis\+sentinel:\/\/127/,
    });
  });
});

describe('databases', () => {
  test('a database out of range never becomes database 0', async () => {
    const direct = await server.client();
    await direct.set(recordOf('k'), 'somebody', 'PX', 60_000);
    const before = await direct.call('DEBUG', 'OBJECT', recordOf('k')).catch(() => undefined);
    await direct.config('RESETSTAT');
    await expectAll(`${url('redis', server.port, `:${SECRET}@`)}/99`, {
      code: 'ERR_LEASE_INVALID_CONFIG',
      says: /no such database/,
      remedy: /number after the host/,
    });
    const stats = await direct.info('commandstats');
    expect(stats).not.toMatch(/cmdstat_(eval|evalsha|get|pttl|scan|set|del|pexpire):/);
    expect(await direct.get(recordOf('k'))).toBe('somebody');
    expect(await direct.call('DEBUG', 'OBJECT', recordOf('k')).catch(() => undefined)).toEqual(before);
  });

  test('a SELECT whose answer is lost ends the attempt', async () => {
    await using proxy = await startTcpProxy(server);
    const dropped = proxy.dropNextReply({ command: 'select', outcome: 'hang' });
    expect(
      await codeOf(openProvider(`${proxy.url}/2`, { timeoutMs: 200 }).acquireLease('k', 'o', 1_000)),
    ).toBe('ERR_LEASE_UNREACHABLE');
    await dropped;
    expect(proxy.commands.map(([name]) => name)).toEqual(['auth', 'select']);
  });
});

describe('TLS', () => {
  test('a certificate for another name, an unknown authority, and the way out of each', async () => {
    await using secure = await startRedis({ tls: { names: ['cluster.example'] }, password: SECRET });
    const ca = secure.tls?.ca ?? '';
    await expectAll(secure.url, {
      code: 'ERR_LEASE_UNREACHABLE',
      says: /not trusted|self-signed/,
      remedy: /--tls-ca/,
    });
    await expectAll(
      secure.url,
      { code: 'ERR_LEASE_UNREACHABLE', says: /another name/, remedy: /--tls-servername/ },
      { tls: { ca } },
    );
    const stranger = await makeCertificates(['cluster.example']);
    await expectAll(
      secure.url,
      { code: 'ERR_LEASE_UNREACHABLE', says: /not trusted|self-signed/, remedy: /--tls-ca/ },
      { tls: { ca: stranger.ca, servername: 'cluster.example' } },
    );
    const named = openProvider(secure.url, { tls: { ca, servername: 'cluster.example' } });
    expect(await named.acquireLease('k', 'o', 1_000)).toEqual({ acquired: true, owner: 'o' });
    const careless = openProvider(secure.url, { tls: { insecure: true } });
    expect(await careless.getLeaseOwner('k')).toBe('o');
    expect(() => new RedisLeaseProvider({ url: secure.url, tls: { ca: 'no certificate' } })).toThrow(/PEM/);
  });

  test('TLS settings for a URL without TLS are refused, not left out', () => {
    for (const tls of [{ ca: '-----BEGIN CERTIFICATE-----' }, { servername: 'a' }, { insecure: true }]) {
      expect(() => new RedisLeaseProvider({ url: 'redis://cache', tls })).toThrow(/asks for TLS/);
    }
    expect(() => new RedisLeaseProvider({ url: 'redis://cache', tls: {} })).not.toThrow();
  });

  test('TLS against a plain server', async () => {
    for (const verb of ['acquire', 'readLease'] as const) {
      const provider = openProvider(url('rediss', server.port, `:${SECRET}@`), { timeoutMs: 300 });
      const error = await failureOf(VERBS[verb](provider, 'k'), SECRET);
      expect([error.code, error.remedy]).toEqual([
        'ERR_LEASE_UNREACHABLE',
        expect.stringContaining('redis://'),
      ]);
    }
  });

  test('a plain connection to a TLS server', async () => {
    await using secure = await startRedis({ tls: true });
    for (const verb of VERB_NAMES) {
      const error = await failureOf(
        VERBS[verb](openProvider(url('redis', secure.port), { timeoutMs: 1_000 }), 'k'),
      );
      const isRead = verb === 'getLeaseOwner' || verb === 'readLease';
      expect([verb, error.code]).toEqual([
        verb,
        isRead ? 'ERR_LEASE_UNREACHABLE' : 'ERR_LEASE_OUTCOME_UNKNOWN',
      ]);
      expect(error.remedy).toContain('rediss://');
    }
  });
});

describe('replicas', () => {
  test('a write on a replica names it and the way to the primary', async () => {
    await using pair = await startReplicaPair();
    const provider = openProvider(pair.replica.url);
    const error = await failureOf(provider.acquireLease('k', 'o', 1_000));
    expect([error.code, error.message, error.remedy]).toEqual([
      'ERR_LEASE_UNREACHABLE',
      expect.stringContaining('connected to a replica'),
      expect.stringContaining('redis+sentinel://'),
    ]);
  });
});

async function listen(listener: ReturnType<typeof createServer>): Promise<number> {
  const port = await findFreePort();
  await new Promise<void>((resolve) => listener.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => void listener.close());
  return port;
}
