import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findFreePort } from '../support/free-port.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { makeTempDir } from '../support/temp-dir.js';
import { waitFor } from '../support/wait-for.js';
import { lease, startLease } from './lease-cli.js';
import { type LeaseSite, openRedisSite, openSqliteSite, type RedisSite } from './lease-site.js';

let site: RedisSite;

beforeAll(async () => {
  site = await openRedisSite();
});
afterEach(() => site.clear());
afterAll(() => site[Symbol.asyncDispose]());

function exec(args: readonly string[], options: Parameters<typeof lease>[1] = {}) {
  return lease(['exec', ...args], { backend: site.name, ...options });
}

async function deadBackend(): Promise<string> {
  return `redis://127.0.0.1:${await findFreePort()}`;
}

describe('the command', () => {
  test.each([0, 1, 3, 5, 7, 255])('ends exec with its own exit code: %d', async (code) => {
    expect(await exec(['deploy', '--', 'sh', '-c', `exit ${code}`])).toMatchObject({ exitCode: code });
    expect(await site.heldKeys()).toEqual([]);
  });

  test.each([
    ['KILL', 137],
    ['TERM', 143],
    ['INT', 130],
  ])('that %s ended ends exec with %d', async (signal, code) => {
    expect(await exec(['deploy', '--', 'sh', '-c', `kill -${signal} $$`])).toMatchObject({ exitCode: code });
  });

  test('is given stdin and everything after the first -- untouched, and has stdout to itself', async () => {
    const words = ['--json', '-q', '--', '--help', '$HOME', 'a  b', '*', "'", '--owner=x', ''];
    const { stdout, exitCode } = await exec(
      ['deploy', '--', 'sh', '-c', 'cat; printf "<%s>" "$@"', ...['sh', ...words]],
      {
        stdin: 'from stdin\n',
      },
    );
    expect({ stdout, exitCode }).toEqual({
      stdout: `from stdin\n${words.map((word) => `<${word}>`).join('')}`,
      exitCode: 0,
    });
  });

  test('finds its lease in its environment, held by that owner, and free afterwards', async () => {
    const script =
      '"$NODE" "$BIN" owner "$MASTRA_LEASE_KEY" -q; printf "%s\\n" "$MASTRA_LEASE_KEY $MASTRA_LEASE_OWNER $MASTRA_LEASE_TTL_MS"';
    const { stdout } = await exec(
      ['a\\0b\\\\c', '--yes', '--owner', 'job 1', '--ttl', '20s', '--', 'sh', '-c', script],
      {
        env: { NODE: process.execPath, BIN: new URL('../../bin/mastra-lease.js', import.meta.url).pathname },
      },
    );
    expect(stdout).toBe('job 1\na\\0b\\\\c job 1 20000\n');
    expect(await site.heldKeys()).toEqual([]);
  });

  test('has an owner of its own unless one is named', async () => {
    const owners = await Promise.all(
      ['one', 'two'].map(
        async (key) => (await exec([key, '--', 'sh', '-c', 'echo "$MASTRA_LEASE_OWNER"'])).stdout,
      ),
    );
    expect(new Set(owners).size).toBe(2);
    for (const owner of owners) expect(owner).toMatch(/^.+@.+:\d+:[0-9a-f]{8}\n$/);
  });

  test('is told about on stderr, behind a prefix; --quiet leaves only what went wrong', async () => {
    const { stderr } = await exec(['deploy', '--owner', 'job-1', '--', 'true']);
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/^mastra-lease: audit: .+ acquire deploy: done, now job-1$/),
      `mastra-lease: holding deploy as job-1 · ${site.source} · MASTRA_LEASE_BACKEND`,
      expect.stringMatching(/^mastra-lease: audit: .+ release deploy from job-1: done, now nobody's$/),
      '',
    ]);
    expect((await exec(['deploy', '-q', '--', 'true'])).stderr).toBe('');
    await site.hold('deploy', 'job-9');
    expect((await exec(['deploy', '-q', '--', 'true'])).stderr).toMatch(
      /^mastra-lease: nothing was run: deploy is job-9's/,
    );
  });

  test('runs under a lease that is renewed for as long as it takes', async () => {
    const { exitCode } = await exec(['deploy', '--ttl', '1s', '--grace', '100ms', '--', 'sleep', '2.5']);
    expect(exitCode).toBe(0);
  });
});

describe('a command that cannot be started', () => {
  test('and is not there ends with 127 before anything is asked of the backend', async () => {
    const backend = await deadBackend();
    for (const command of ['no-such-command', './no-such-file', '/no/such/file', ''])
      expect(await exec(['deploy', '--', command], { backend })).toMatchObject({ exitCode: 127, stdout: '' });
  });

  test('and is not executable ends with 126 before anything is asked of the backend', async () => {
    const backend = await deadBackend();
    for (const command of ['/etc/passwd', '/etc'])
      expect(await exec(['deploy', '--', command], { backend })).toMatchObject({
        exitCode: 126,
        stderr: `mastra-lease: error ${command}: it is not executable\n`,
      });
  });

  test('for want of its interpreter ends with 127, and gives the lease back', async () => {
    await using directory = await makeTempDir();
    const script = join(directory.path, 'script');
    await writeFile(script, '#!/no/such/interpreter\n');
    await chmod(script, 0o755);
    const { exitCode, stderr } = await exec(['deploy', '--', script]);
    expect({ exitCode, held: await site.heldKeys() }).toEqual({ exitCode: 127, held: [] });
    expect(stderr).toContain('what interprets it');
  });
});

describe('nothing is run', () => {
  const RUN = ['--', 'echo', 'ran'];

  test('while another holds the key: 3, with who it is', async () => {
    await site.hold('deploy', 'job-9');
    const { stdout, stderr, exitCode } = await exec(['deploy', ...RUN]);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 3 });
    expect(stderr).toMatch(/^mastra-lease: nothing was run: deploy is job-9's \(59\.\d s\) · redis:/);
    expect(await site.read('deploy')).toMatchObject({ owner: 'job-9' });
  });

  test('when --wait is over and another still holds the key: 6, with who it is', async () => {
    await site.hold('deploy', 'job-9');
    const { stdout, stderr, exitCode } = await exec(['deploy', '--wait', '2s', ...RUN]);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 6 });
    expect(stderr).toMatch(/^mastra-lease: nothing was run after 2\.0 s: deploy is job-9's/m);
  });

  test('where the backend is dead: 7, and with --wait too when it is away to the end', async () => {
    const backend = await deadBackend();
    for (const wait of [[], ['--wait', '300ms']]) {
      const { stdout, stderr, exitCode } = await exec(['deploy', ...wait, ...RUN], { backend });
      expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 7 });
      expect(stderr).toMatch(/^mastra-lease: error /);
    }
  });

  test('when the answer is lost, and the lease is ours only if a renewal says so', async () => {
    await using proxy = await startTcpProxy(site.server);
    proxy.pause();
    const { stdout, exitCode } = await exec(['deploy', '--ttl', '1s', '--grace', '0s', ...RUN], {
      backend: proxy.url,
    });
    expect(stdout).toBe('');
    expect([7, 8]).toContain(exitCode);
  });

  test('on a thread without --yes: 2', async () => {
    for (const key of [
      ['user-42\\0t-1'],
      ['--resource', 'user-42', '--thread', 't-1'],
      ['--thread', 't-1'],
    ]) {
      const { stdout, stderr, exitCode } = await exec([...key, ...RUN]);
      expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
      expect(stderr).toContain('Expected --yes');
    }
    expect(await exec(['--resource', 'user-42', '--thread', 't-1', '--yes', ...RUN])).toMatchObject({
      stdout: 'ran\n',
      exitCode: 0,
    });
  });

  test('inside an exec of the same key: it would give the outer lease back', async () => {
    const nested = `"${process.execPath}" "${new URL('../../bin/mastra-lease.js', import.meta.url).pathname}" exec deploy -- echo ran`;
    const { stdout, stderr, exitCode } = await exec(['deploy', '--', 'sh', '-c', nested]);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain('already runs under deploy');
  });

  test.each([
    ['no command', ['deploy'], 'Expected a command after --'],
    ['nothing after --', ['deploy', '--'], 'Expected a command after --'],
    ['a command without --', ['deploy', 'true'], 'Expected a command after --'],
    ['no key', RUN, 'Expected a key'],
    ['two keys', ['deploy', 'other', ...RUN], 'Expected one key before --'],
    ['a TTL below the grace', ['deploy', '--ttl', '5s', ...RUN], 'Expected a TTL that leaves time'],
    ['a grace that is no duration', ['deploy', '--grace', 'soon', ...RUN], 'Expected --grace as a duration'],
    ['an option without its value', ['deploy', '--owner', ...RUN], 'Expected a value before --'],
    [
      'an exit code that is none',
      ['deploy', '--lease-exit-code', '0', ...RUN],
      'Expected --lease-exit-code from 1 to 255',
    ],
    ['--json', ['deploy', '--json', ...RUN], 'Expected no --json'],
  ])('with %s: 2, before anything is asked of the backend', async (_, args, message) => {
    const { stdout, stderr, exitCode } = await exec(args, { backend: await deadBackend() });
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toMatch(/^mastra-lease: error [^\n]+\n$/);
    expect(stderr).toContain(message);
  });
});

describe('--lease-exit-code', () => {
  test('is what every failure of ours ends with, and none of the command’s', async () => {
    await site.hold('taken', 'job-9');
    const own = ['--lease-exit-code', '99'];
    const codes = await Promise.all([
      exec(['taken', ...own, '--', 'true']),
      exec(['taken', '--wait', '100ms', ...own, '--', 'true']),
      exec(['deploy', ...own, '--', 'no-such-command']),
      exec(['deploy', ...own, '--ttl', '1s', '--', 'true']),
      exec(['deploy', ...own, '--', 'true'], { backend: await deadBackend() }),
      exec(['free-1', ...own, '--', 'sh', '-c', 'exit 3']),
      exec(['free-2', ...own, '--', 'true']),
    ]);
    expect(codes.map(({ exitCode }) => exitCode)).toEqual([99, 99, 99, 99, 99, 3, 0]);
  });
});

describe('--wait', () => {
  test('gets the key when it expires', async () => {
    await site.hold('deploy', 'job-9', 700);
    expect(await exec(['deploy', '--wait', '10s', '--', 'echo', 'ran'])).toMatchObject({
      stdout: 'ran\n',
      exitCode: 0,
    });
  });

  test('tells once who has it while it waits, also where there is no terminal', async () => {
    await site.hold('deploy', 'job-9', 1_500);
    const { exitCode, stderr } = await exec(['deploy', '--wait', '10s', '--', 'true']);
    expect(exitCode).toBe(0);
    expect(stderr.match(/waiting .*/g)).toEqual([
      expect.stringMatching(/^waiting up to 10\.0 s for its turn: deploy is job-9's \(1\.\d s\)$/),
    ]);
  });

  test('gets the key when it is given back, and rides out a backend that is away', async () => {
    await using proxy = await startTcpProxy(site.server);
    await site.hold('deploy', 'job-9');
    await using running = await startLease(['exec', 'deploy', '--wait', '15s', '--', 'echo', 'ran'], {
      backend: proxy.url,
      timeoutMs: 18_000,
    });
    await waitFor(() => proxy.commands.length > 0, { what: 'the first try' });
    proxy.refuseNew();
    proxy.cut();
    await site.clear();
    await expect(waitFor(() => running.output.stdout, { deadlineMs: 800 })).rejects.toThrow();
    await proxy.acceptNew();
    expect(await running.done).toMatchObject({ stdout: 'ran\n', exitCode: 0 });
  });
});

describe('on another backend', () => {
  test('a file of the host: the same', async () => {
    await using file: LeaseSite = await openSqliteSite();
    const options = { backend: file.name };
    expect(
      await exec(['deploy', '--ttl', '1s', '--grace', '0s', '--', 'sleep', '1.5'], options),
    ).toMatchObject({ exitCode: 0 });
    expect(await file.heldKeys()).toEqual([]);
    await file.hold('deploy', 'job-9', 3_000);
    expect(await exec(['deploy', '--', 'true'], options)).toMatchObject({ exitCode: 3 });
    expect(await exec(['deploy', '--wait', '10s', '--', 'echo', 'ran'], options)).toMatchObject({
      stdout: 'ran\n',
    });
  });

  test('memory: is this process’s own, for trying it out', async () => {
    expect(await exec(['deploy', '--', 'echo', 'ran'], { backend: 'memory:' })).toMatchObject({
      stdout: 'ran\n',
      exitCode: 0,
    });
  });
});

test('many at once on one key run one at a time, whoever comes first', async () => {
  await using directory = await makeTempDir();
  const ledger = join(directory.path, 'ledger');
  const count = Number(process.env.EXEC_COUNT ?? 16);
  const script = `echo "in $$" >> '${ledger}'; sleep 0.02; echo "out $$" >> '${ledger}'`;
  const runs = await Promise.all(
    Array.from({ length: count }, () =>
      exec(['deploy', '--wait', '60s', '-q', '--', 'sh', '-c', script], { timeoutMs: 100_000 }),
    ),
  );
  expect(runs.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual(
    Array.from({ length: count }, () => ({ exitCode: 0, stderr: '' })),
  );
  const lines = (await readFile(ledger, 'utf8')).trim().split('\n');
  expect(lines).toHaveLength(2 * count);
  for (let index = 0; index < lines.length; index += 2) {
    expect([lines[index], lines[index + 1]]).toEqual([lines[index], lines[index]?.replace('in', 'out')]);
  }
}, 120_000);
