import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lease } from './lease-cli.js';
import { openRedisSite, openSqliteSite, type RedisSite, recordOf } from './lease-site.js';

/** Key, owner and time left; `null` for no expiry. */
const LEASES: readonly (readonly [string, string, number | null])[] = [
  ['user-2\0beta', 'run-9', 14_500],
  ['user-10\0alpha', 'run-10', 9_000],
  ['user-1\0gamma', 'run-1', 120_000],
  ['user-3\0stuck', 'run-3', null],
  ['thread-claim:user-1\0gamma', 'process-1', 100_000],
  ['mastra:durable-agent-recovery:v1:["agent","run-5"]', 'uuid-5', 19_000],
  ['workflow-step-run:run-6:event-1', 'worker-1', 70_000],
  ['notification-dispatch:user-1', 'worker-2', 70_100],
  ['schedule:nightly', 'worker-2', 70_200],
  ['deploy', 'job-1', 8_000],
];

let site: RedisSite;

beforeAll(async () => {
  site = await openRedisSite();
});
afterAll(() => site[Symbol.asyncDispose]());

/** Lists, from leases that are set just before, so that the times left are those of the table. */
async function listed(args: readonly string[], leases = LEASES): Promise<readonly string[]> {
  await site.client.flushall();
  await hold(leases);
  const { stdout, exitCode } = await lease(['list', ...args], { backend: site.name });
  expect(exitCode).toBe(0);
  return stdout.split('\n').slice(0, -1);
}

async function hold(leases: typeof LEASES): Promise<void> {
  for (const [key, owner, leftMs] of leases) {
    if (leftMs === null) await site.client.set(recordOf(key), owner);
    else await site.client.set(recordOf(key), owner, 'PX', leftMs * 1_000);
  }
}

const owners = (lines: readonly string[]) => lines.map((line) => line.split('\t')[2]);

describe('the order', () => {
  test.each([
    [
      'worst',
      [
        'run-3',
        'job-1',
        'run-10',
        'run-9',
        'uuid-5',
        'worker-1',
        'worker-2',
        'worker-2',
        'process-1',
        'run-1',
      ],
    ],
    [
      'left',
      [
        'job-1',
        'run-10',
        'run-9',
        'uuid-5',
        'worker-1',
        'worker-2',
        'worker-2',
        'process-1',
        'run-1',
        'run-3',
      ],
    ],
    [
      'kind',
      [
        'process-1',
        'worker-2',
        'job-1',
        'uuid-5',
        'worker-2',
        'worker-1',
        'run-1',
        'run-10',
        'run-9',
        'run-3',
      ],
    ],
    [
      'owner',
      [
        'job-1',
        'process-1',
        'run-1',
        'run-10',
        'run-3',
        'run-9',
        'uuid-5',
        'worker-1',
        'worker-2',
        'worker-2',
      ],
    ],
  ])('of --sort %s is by value, not by what is printed', async (order, expected) => {
    expect(owners(await listed(['--sort', order]))).toEqual(expected);
  });

  test('without --sort is the worst first: no expiry, then late, then the least left', async () => {
    const leases = LEASES.map(([key, owner, left]) => [key, owner, left && left / 1_000] as const);
    const lines = await listed([], leases);
    expect(
      lines.map((line) =>
        line
          .split('\t')
          .slice(2, 5)
          .filter((_, index) => index !== 1),
      ),
    ).toEqual([
      ['run-3', 'no-expiry'],
      ['run-10', 'late'],
      ['uuid-5', 'late'],
      ['job-1', 'ok'],
      ['run-9', 'ok'],
      ['worker-1', 'ok'],
      ['worker-2', 'ok'],
      ['worker-2', 'ok'],
      ['process-1', 'ok'],
      ['run-1', 'ok'],
    ]);
  });

  test('of resources and threads is by their ids', async () => {
    const threads = ['--kind', 'thread'];
    expect(owners(await listed([...threads, '--sort', 'resource']))).toEqual([
      'run-1',
      'run-10',
      'run-9',
      'run-3',
    ]);
    expect(owners(await listed([...threads, '--sort', 'thread']))).toEqual([
      'run-10',
      'run-9',
      'run-1',
      'run-3',
    ]);
  });
});

describe('a filter', () => {
  test.each([
    [['--kind', 'recovery'], ['uuid-5']],
    [
      ['--owner', 'worker-2'],
      ['worker-2', 'worker-2'],
    ],
    [['--health', 'no-expiry'], ['run-3']],
    [['user-1*'], ['process-1', 'run-1', 'run-10', 'worker-2']],
    [['gamma'], ['process-1', 'run-1']],
    [['user-1\\0gamma'], ['run-1']],
    [['deplo?'], ['job-1']],
    [
      ['--kind', 'thread', 'user-?'],
      ['run-1', 'run-3', 'run-9'],
    ],
    [['[deploy]'], []],
    [['--owner', 'run'], []],
  ])('%j lets through what it says, and no more', async (args, expected) => {
    expect(owners(await listed([...args, '--sort', 'owner']))).toEqual(expected);
  });
});

test('--limit prints so many and counts all', async () => {
  await listed([]);
  const text = await lease(['list', '--limit', '2'], { backend: site.name });
  expect(text.stdout.split('\n')).toHaveLength(3);
  expect(text.stderr).toContain('10 leases, 2 shown\n');
  for (const sort of [[], ['--sort', 'left']]) {
    const json = (
      await lease(['list', 'user*', '--limit', '1', '--json', ...sort], { backend: site.name })
    ).json();
    expect(json).toHaveLength(2);
    expect(json[1]).toMatchObject({ complete: true, total: 10, matched: 6, exitCode: 0 });
  }
  const filtered = await lease(['list', 'user*', '--limit', '1'], { backend: site.name });
  expect(filtered.stderr).toContain('6 leases of 10, 1 shown\n');
});

test('health is read by the runtime’s own lease time', async () => {
  await listed([]);
  const env = { MASTRA_AGENT_THREAD_LEASE_TTL_MS: '60000000' };
  const { stdout } = await lease(['list', '--kind', 'thread', '--health', 'late'], {
    backend: site.name,
    env,
  });
  expect(owners(stdout.trim().split('\n'))).toEqual(['run-10', 'run-9']);
});

test('a piped listing is not cut at any width, and has no colour even where it is forced', async () => {
  const id = 'x'.repeat(3_000);
  await listed([], [[`${id}\0${id}`, id, 60]]);
  const env = { FORCE_COLOR: '1', COLUMNS: '80' };
  const { stdout } = await lease(['list'], { backend: site.name, env });
  expect(stdout.replace(/\t\d+\t/, '\tMS\t')).toBe(`thread\t${id}\\0${id}\t${id}\tMS\tok\t${id}\t${id}\n`);
});

const HOSTILE = [
  '\u001b[2J\u001b]52;c;ZXZpbA==\u0007',
  'a\nthread\tfake\trun-0\t-\tno-expiry',
  '\u202eevil\u2066',
  '\u009b31m\u0000\u007f',
  '\u{e0041}\ufeff\u200b\u00ad',
];

test.each([
  ['Redis', openRedisSite],
  ['SQLite', openSqliteSite],
] as const)('hostile ids and owners never reach the output as they are, on %s', async (_, open) => {
  await using hostile = await open();
  for (const id of HOSTILE) await hostile.hold(`${id}\0${id}`, id);
  for (const args of [['list'], ['list', '--json'], ['list', '--json', '--sort', 'left']]) {
    const { stdout, stderr, exitCode } = await lease(args, { backend: hostile.name });
    expect(exitCode).toBe(0);
    expect(stdout.split('\n')).toHaveLength(HOSTILE.length + (args.length > 1 ? 2 : 1));
    expect(stdout + stderr).not.toMatch(
      /[^\P{C}\t\n]|[\u2028\u2029\u00ad]|(?=\p{Default_Ignorable_Code_Point})./u,
    );
  }
});

test('keys and owners that are not UTF-8 are listed in hex, marked, and cannot be named', async () => {
  await listed([], []);
  await site.client.set(
    Buffer.concat([Buffer.from(recordOf('caf')), Buffer.from([0xe9])]),
    Buffer.from([0xff, 0x41]),
  );
  const { stdout } = await lease(['list'], { backend: site.name });
  expect(stdout).toMatch(/^other\thex:636166e9\t/);
  const [line] = (await lease(['list', '--json'], { backend: site.name })).json();
  expect(line).toMatchObject({ keyHex: '636166e9', ownerHex: 'ff41', remainingMs: null });
});

test('an empty listing that saw everything is an answer, and ends with 0', async () => {
  await listed([], []);
  const json = (await lease(['list', '--json'], { backend: site.name })).json();
  expect(json).toEqual([
    {
      schema: 'mastra-lease/list-end@1',
      complete: true,
      total: 0,
      matched: 0,
      exitCode: 0,
      source: expect.objectContaining({ role: 'primary' }),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    },
  ]);
});
