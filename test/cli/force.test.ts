import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startReplicaPair } from '../support/redis-replication.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { keys, startTerminal, type TerminalRun } from '../support/terminal.js';
import { lease } from './lease-cli.js';
import { openRedisSite, type RedisSite, recordOf } from './lease-site.js';

const QUESTION = /\(y\/N\)/;
/** Any sequence that sets a colour or a style. */
const STYLED = new RegExp(`${keys.escape}\\[[\\d;]*m`);

const VERBS: readonly {
  readonly verb: string;
  readonly args: readonly string[];
  /** What the question says that the write makes of the lease. */
  readonly change: string;
  readonly left: string | undefined;
}[] = [
  { verb: 'release', args: [], change: '', left: undefined },
  { verb: 'renew', args: ['--ttl', '10m'], change: ' for 10 min from now', left: 'run-1' },
  {
    verb: 'transfer',
    args: ['--to', 'run-2', '--ttl', '10m'],
    change: ' to run-2 for 10 min from now',
    left: 'run-2',
  },
];

let site: RedisSite;
let proxy: TcpProxy;

beforeAll(async () => {
  site = await openRedisSite();
  proxy = await startTcpProxy(site.server);
});
beforeEach(async () => {
  await site.clear();
  await site.hold('deploy', 'run-1', 50_000);
  proxy.clear();
});
afterAll(async () => {
  await proxy.stop();
  await site[Symbol.asyncDispose]();
});

function ask(
  args: readonly string[],
  backend = proxy.url,
  env: Readonly<Record<string, string>> = {},
  columns = 120,
): Promise<TerminalRun> {
  return startTerminal(args, { columns, env: { MASTRA_LEASE_BACKEND: backend, ...env } });
}

/** A line that is too long is broken wherever it is full, and a space there is lost. */
const withoutSpaces = (text: string) => text.replaceAll(' ', '');

const commandCount = () => proxy.commands.length;

describe('--force on a terminal', () => {
  test.each(VERBS.flatMap((verb) => [80, 120].map((columns) => ({ ...verb, columns }))))(
    '$verb shows the holder and the backend, asks, and does it on yes, in $columns columns',
    async ({ verb, args, change, left, columns }) => {
      await using terminal = await ask([verb, 'deploy', '--force', ...args], proxy.url, {}, columns);
      await terminal.waitForScreen(QUESTION);
      expect(terminal.lines[0]).toMatch(/^holder: deploy is run-1's \(4\d\.\d s\)$/);
      const question = `? ${verb} this lease${change} on ${proxy.url}/0 primary · mastra:topic? (y/N)`;
      expect(withoutSpaces(terminal.lines.slice(1).join(''))).toBe(withoutSpaces(question));
      terminal.type(`y${keys.enter}`);
      expect(await terminal.end()).toBe(0);
      const after = await site.read('deploy');
      expect(after?.owner).toBe(left);
      if (after) expect(after.leftMs).toBeGreaterThan(500_000);
    },
  );

  test.each([
    ['no', `n${keys.enter}`, 80],
    ['no', `n${keys.enter}`, 120],
    ['nothing but Enter', keys.enter, 120],
    ['Ctrl-D', '\u0004', 120],
    ['Ctrl-C', keys.ctrlC, 80],
    ['Ctrl-C', keys.ctrlC, 120],
  ])('%s sends nothing and ends with 130', async (_, typed, columns) => {
    await using terminal = await ask(['release', 'deploy', '--force'], proxy.url, {}, columns);
    await terminal.waitForScreen(QUESTION);
    const before = commandCount();
    terminal.type(typed);
    expect(await terminal.end()).toBe(130);
    expect(terminal.lines.at(-1)).toContain('Cancelled: nothing was sent');
    expect(commandCount()).toBe(before);
    expect((await site.read('deploy'))?.owner).toBe('run-1');
  });

  test('a yes that was typed before the question could be read answers nothing', async () => {
    await using terminal = await ask(['release', 'deploy', '--force']);
    terminal.type(`y${keys.enter}y${keys.enter}`);
    await terminal.waitForScreen(QUESTION);
    terminal.type(keys.enter);
    expect(await terminal.end()).toBe(130);
    expect((await site.read('deploy'))?.owner).toBe('run-1');
  });

  test('a signal while it asks sends nothing, and ends with its code', async () => {
    await using terminal = await ask(['release', 'deploy', '--force']);
    await terminal.waitForScreen(QUESTION);
    const before = commandCount();
    process.kill(terminal.pid, 'SIGTERM');
    expect(await terminal.end()).toBe(143);
    expect(commandCount()).toBe(before);
    expect((await site.read('deploy'))?.owner).toBe('run-1');
  });

  test('the holder that was shown is the one that is changed: another since is 3, and left as it is', async () => {
    for (const { verb, args } of VERBS) {
      await site.hold('deploy', 'run-1', 50_000);
      await using terminal = await ask([verb, 'deploy', '--force', ...args]);
      await terminal.waitForScreen(QUESTION);
      await site.hold('deploy', 'run-9', 40_000);
      terminal.type(`y${keys.enter}`);
      expect(await terminal.end(), verb).toBe(3);
      expect(terminal.lines.join('\n')).toContain("deploy is run-9's");
      const after = await site.read('deploy');
      expect(after?.owner, verb).toBe('run-9');
      expect(after?.leftMs).toBeLessThanOrEqual(40_000);
    }
  });

  test('a lease that ended while it asked is 4, and is not made again', async () => {
    await using terminal = await ask(['renew', 'deploy', '--force']);
    await terminal.waitForScreen(QUESTION);
    await site.clear();
    terminal.type(`y${keys.enter}`);
    expect(await terminal.end()).toBe(4);
    expect(await site.heldKeys()).toEqual([]);
  });

  test('the time that a person takes to answer does not count', async () => {
    await using terminal = await ask(['release', 'deploy', '--force', '--timeout', '1s']);
    await terminal.waitForScreen(QUESTION);
    const askedAt = performance.now();
    await expect.poll(() => performance.now() - askedAt, { timeout: 5_000 }).toBeGreaterThan(1_200);
    terminal.type(`y${keys.enter}`);
    expect(await terminal.end()).toBe(0);
  });

  test('several holders are shown, and asked about once', async () => {
    await site.hold('nightly', 'run-2', 50_000);
    await using terminal = await ask(['release', 'deploy', 'nightly', 'free', '--force']);
    await terminal.waitForScreen(QUESTION);
    expect(terminal.lines.slice(0, 2)).toEqual([
      expect.stringContaining("deploy is run-1's"),
      expect.stringContaining("nightly is run-2's"),
    ]);
    expect(terminal.lines[2]).toContain('release these 2 leases on');
    terminal.type(`yes${keys.enter}`);
    expect(await terminal.end()).toBe(4);
    expect(await site.heldKeys()).toEqual([]);
  });

  test('nobody is asked about a key that nobody holds', async () => {
    await using terminal = await ask(['release', 'free', '--force']);
    expect(await terminal.end()).toBe(4);
    expect(terminal.lines[0]).toBe('no lease  nobody holds free under mastra:topic');
  });

  test('--quiet still shows what it asks about', async () => {
    await using terminal = await ask(['release', 'deploy', '--force', '-q']);
    await terminal.waitForScreen(QUESTION);
    expect(terminal.lines[0]).toContain("holder: deploy is run-1's");
    terminal.type(keys.ctrlC);
    expect(await terminal.end()).toBe(130);
  });

  test.each([
    [['--no-color'], {}],
    [[], { NO_COLOR: '1' }],
    [[], { TERM: 'dumb' }],
  ])('the question has no colour where none is wanted: %j %j', async (args, env) => {
    await using terminal = await ask(['release', 'deploy', '--force', ...args], site.name, env);
    await terminal.waitForScreen(QUESTION);
    terminal.type(`n${keys.enter}`);
    await terminal.end();
    expect(terminal.raw).not.toMatch(STYLED);
  });

  test('hostile text in key and owner is shown escaped in the question', async () => {
    await site.hold('\u001b[2J', '\u001b]0;evil\u0007');
    await using terminal = await ask(['release', '\\x1b[2J', '--force'], site.name, { NO_COLOR: '1' });
    await terminal.waitForScreen(QUESTION);
    expect(terminal.lines[0]).toMatch(/^holder: \\x1b\[2J is \\x1b\]0;evil\\x07's \(/);
    expect(terminal.raw).not.toContain('\u001b]0;evil');
    terminal.type(keys.ctrlC);
    await terminal.end();
  });

  test('a server that was demoted while it asked changes nothing: 7', async () => {
    await using pair = await startReplicaPair();
    const client = await pair.primary.client();
    await client.set(recordOf('deploy'), 'run-1', 'PX', 60_000);
    await pair.sync();
    await using terminal = await ask(['release', 'deploy', '--force'], pair.primary.url);
    await terminal.waitForScreen(QUESTION);
    await pair.swapRoles();
    terminal.type(`y${keys.enter}`);
    expect(await terminal.end()).toBe(7);
    expect(terminal.lines.join('\n')).toContain('connected to a replica');
    const promoted = await pair.primary.client();
    expect(await promoted.get(recordOf('deploy'))).toBe('run-1');
  });
});

describe('--force off a terminal', () => {
  test.each(VERBS)('$verb with --yes shows the holder and does it', async ({ verb, args, left }) => {
    const result = await lease([verb, 'deploy', '--force', '--yes', ...args], { backend: site.name });
    expect(result.exitCode).toBe(0);
    expect(result.stderr).toMatch(/^holder: deploy is run-1's \(4\d\.\d s\)\n/);
    expect((await site.read('deploy'))?.owner).toBe(left);
  });

  test('without --yes nothing is even connected to', async () => {
    const before = proxy.connectionCount;
    for (const { verb, args } of VERBS) {
      const result = await lease([verb, 'deploy', '--force', ...args], { backend: proxy.url });
      expect(result).toMatchObject({ stdout: '', exitCode: 2 });
      expect(result.stderr).toContain('Expected --yes with --force');
    }
    expect(proxy.connectionCount).toBe(before);
  });
});
