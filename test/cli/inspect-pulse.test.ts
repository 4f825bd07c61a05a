import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type MadeEvent, writeHistory } from '../redis/thread-events.js';
import { startTerminal } from '../support/terminal.js';
import { lease } from './lease-cli.js';
import { openRedisSite, type RedisSite, recordOf } from './lease-site.js';

let site: RedisSite;

beforeAll(async () => {
  site = await openRedisSite();
});
beforeEach(() => site.clear());
afterAll(() => site[Symbol.asyncDispose]());

const inspect = (args: readonly string[], stdin?: string) =>
  lease(['inspect', ...args], { backend: site.name, ...(stdin !== undefined && { stdin }) });

/** A run of a process that has been quiet for so long, with its lease. */
async function work(thread: string, run: string, sourceId: string, quietMs: number, ttlMs = 14_000) {
  await site.hold(`user-1\0${thread}`, run, ttlMs);
  await leave(thread, run, sourceId, quietMs);
}

/** The same without a lease. */
async function leave(thread: string, run: string, sourceId: string, quietMs: number): Promise<void> {
  const registered: MadeEvent = { type: 'run-registered', runId: run, sourceId };
  const history = [
    [quietMs + 10, registered],
    [quietMs, { ...registered, type: 'stream-part' }],
  ] as const;
  await writeHistory(site.client, `user-1\0${thread}`, history);
}

/** Nine threads of a dead process, two of a live one, one that is held for ever, and a lock that is no thread's. */
async function makeIncident(): Promise<void> {
  for (let n = 1; n <= 9; n += 1) await work(`dead-${n}`, `run-dead-${n}`, 'pod-dead', 300_000 + n * 1_000);
  for (const n of [1, 2]) await work(`live-${n}`, `run-live-${n}`, 'pod-live', 1_000);
  await site.client.set(recordOf('user-1\0stuck'), 'run-stuck');
  await leave('stuck', 'run-stuck', 'pod-live', 7_200_000);
  await site.hold('deploy', 'job-1');
}

const verdictsOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t').slice(0, 3).join(' '));

describe('without a key', () => {
  test('every held lease is judged, worst first, and counted', async () => {
    await makeIncident();
    const { stdout, stderr, exitCode } = await inspect([]);
    expect(verdictsOf(stdout)).toEqual([
      'no-expiry thread user-1\\0stuck',
      ...[9, 8, 7, 6, 5, 4, 3, 2, 1].map((n) => `silent thread user-1\\0dead-${n}`),
      expect.stringMatching(/^working thread user-1\\0live-\d$/),
      expect.stringMatching(/^working thread user-1\\0live-\d$/),
      'unknown other deploy',
    ]);
    expect(stdout).toMatch(
      /^silent\tthread\tuser-1\\0dead-9\trun-dead-9\t1\d{4}\t309\d{3}\tpod-dead\tuser-1\tdead-9$/m,
    );
    expect(stderr).toBe(
      `13 leases · 1 no-expiry, 9 silent, 1 unknown, 2 working\n${site.source} · MASTRA_LEASE_BACKEND\n`,
    );
    expect(exitCode).toBe(0);
  });

  test('--by process shows that one dead process explains nine threads', async () => {
    await makeIncident();
    const { stdout, exitCode } = await inspect(['--by', 'process', '--kind', 'thread', '--json']);
    const [live, dead, end, ...more] = stdout
      .trimEnd()
      .split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line));
    expect(live).toMatchObject({
      schema: 'mastra-lease/process@1',
      process: 'pod-live',
      count: 3,
      verdicts: { 'no-expiry': 1, working: 2 },
    });
    expect(dead).toMatchObject({
      process: 'pod-dead',
      count: 9,
      verdicts: { silent: 9 },
      inspections: expect.arrayContaining([
        expect.objectContaining({
          schema: 'mastra-lease/inspect@1',
          thread: 'dead-1',
          verdict: 'silent',
          process: 'pod-dead',
        }),
      ]),
    });
    expect(end).toMatchObject({
      schema: 'mastra-lease/inspect-end@1',
      complete: true,
      total: 13,
      matched: 12,
      verdicts: { 'no-expiry': 1, silent: 9, working: 2 },
      exitCode: 0,
    });
    expect(more).toEqual([]);
    expect(exitCode).toBe(0);
  });

  test('is a table on a terminal, under a line for each process where that was asked for', async () => {
    await makeIncident();
    const env = { MASTRA_LEASE_BACKEND: site.name, NO_COLOR: '1' };
    await using plain = await startTerminal(['inspect', '--limit', '3'], { env, columns: 100 });
    expect(await plain.end()).toBe(0);
    expect(
      plain.lines.map((line) => line.replace(/\d+\.\d s|\d+ min \d+ s/g, 'TIME').replace(/ {2,}/g, ' | ')),
    ).toEqual([
      'VERDICT | RESOURCE | THREAD OR KEY | OWNER | LEFT | QUIET | PROCESS',
      'NO-EXPIRY | user-1 | stuck | run-stuck | no expiry | 2 h | pod-live',
      'SILENT | user-1 | dead-9 | run-dead-9 | TIME | TIME | pod-dead',
      'SILENT | user-1 | dead-8 | run-dead-8 | TIME | TIME | pod-dead',
      '13 leases, 3 shown · 1 no-expiry, 9 silent, 1 unknown, 2 working',
      `${site.source} · MASTRA_LEASE_BACKEND`,
    ]);
    await using grouped = await startTerminal(['inspect', '--by', 'process', '--kind', 'thread'], {
      env,
      columns: 100,
    });
    expect(await grouped.end()).toBe(0);
    const text = grouped.lines.join('\n');
    expect(text).toMatch(/^process pod-live · 3 leases: 1 no-expiry, 2 working\nNO-EXPIRY +user-1 +stuck /m);
    expect(text).toMatch(/^process pod-dead · 9 leases: 9 silent\nSILENT +user-1 +dead-9 /m);
  });

  test('filters as list does, and says how many are not shown', async () => {
    await makeIncident();
    const { stdout, stderr } = await inspect(['--owner', 'run-live-2']);
    expect(verdictsOf(stdout)).toEqual(['working thread user-1\\0live-2']);
    expect(stderr).toContain('1 lease of 13 · 1 working\n');
    expect((await inspect(['--health', 'no-expiry'])).stderr).toContain('1 lease of 13 · 1 no-expiry\n');
  });

  test('of nothing asks whether it is the right prefix', async () => {
    const { stdout, stderr, exitCode } = await inspect([]);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 0 });
    expect(stderr).toContain(
      "0 leases: nothing is leased under mastra:topic; is that the application's prefix",
    );
  });

  test('a thousand threads are all judged', async () => {
    const pipeline = site.client.pipeline();
    for (let n = 0; n < 1_000; n += 1) pipeline.set(recordOf(`user-1\0t-${n}`), `run-${n}`, 'PX', 600_000);
    await pipeline.exec();
    const { stderr, exitCode } = await inspect([]);
    expect(stderr).toContain('1000 leases · 1000 unknown\n');
    expect(exitCode).toBe(0);
  });
});

describe('with - it reads what alerts name', () => {
  test('forty thread ids are answered by one scan, held or not', async () => {
    await makeIncident();
    await site.client.config('RESETSTAT');
    const ids = Array.from({ length: 38 }, (_, n) => (n < 9 ? `dead-${n + 1}` : `gone-${n}`));
    const { stdout, stderr, exitCode } = await inspect(['-'], `${[...ids, 'stuck', 'live-1'].join('\n')}\n`);
    expect(verdictsOf(stdout).slice(0, 10)).toEqual([
      'no-expiry thread user-1\\0stuck',
      ...[9, 8, 7, 6, 5, 4, 3, 2, 1].map((n) => `silent thread user-1\\0dead-${n}`),
    ]);
    expect(stdout.match(/^unknown\tthread\t-\t.*\tgone-\d+$/gm)).toHaveLength(29);
    expect(stderr).toContain('40 keys · 1 no-expiry, 9 silent, 29 unknown, 1 working\n');
    expect(exitCode).toBe(0);
    const statistics = await site.client.info('commandstats');
    expect(/cmdstat_scan:calls=(\d+)/.exec(statistics)?.[1]).toBe('1');
  });

  test('threads without a lease are judged by their events, where their resource is named', async () => {
    await leave('lost', 'run-lost', 'pod-1', 2_000);
    await leave('old', 'run-old', 'pod-1', 600_000);
    const { stdout } = await inspect(['-'], 'user-1\\0lost\r\nuser-1\\0old\r\nuser-1\\0never\r\n');
    expect(verdictsOf(stdout)).toEqual([
      'orphaned thread user-1\\0old',
      'lapsed thread user-1\\0lost',
      'unseen thread user-1\\0never',
    ]);
  });

  test('takes keys, ids and what list --json prints, each once, and groups them by process', async () => {
    await makeIncident();
    const listed = await lease(['list', '--json', '--owner', 'run-dead-1'], { backend: site.name });
    const stdin = `${listed.stdout}dead-1\nthread:dead-1\nuser-1\\0dead-1\ndeploy\n`;
    const { stdout } = await inspect(['-', '--by', 'process', '--json'], stdin);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line): Record<string, unknown> => JSON.parse(line))).toMatchObject([
      { process: 'pod-dead', count: 1, inspections: [{ thread: 'dead-1' }] },
      { process: null, count: 1, inspections: [{ key: 'deploy' }] },
      { complete: true, total: 2, matched: 2, verdicts: { silent: 1, unknown: 1 } },
    ]);
  });

  test('a word that is held as a key is that key, and a line that is none is told by its number', async () => {
    await site.hold('nightly', 'job-1');
    await site.hold('user-1\0nightly', 'run-1');
    const { stdout, stderr, exitCode } = await inspect(['-'], 'nightly\nbad\\q\n');
    expect(verdictsOf(stdout)).toEqual(['unknown other nightly']);
    expect(stderr).toContain('stdin line 2: The key cannot be read');
    expect(exitCode).toBe(2);
    const literal = await inspect(['-', '--literal'], 'gone\n');
    expect(verdictsOf(literal.stdout)).toEqual(['free other gone']);
    expect(await inspect(['-'], '\n')).toMatchObject({ stdout: '', exitCode: 2 });
  });

  test('an id of several held threads is named as ambiguous, and the others are answered', async () => {
    await site.hold('user-1\0twice', 'run-1');
    await site.hold('user-2\0twice', 'run-2');
    await work('live-1', 'run-live-1', 'pod-live', 1_000);
    const { stdout, stderr, exitCode } = await inspect(['-'], 'twice\nlive-1\n');
    expect(verdictsOf(stdout)).toEqual(['working thread user-1\\0live-1']);
    expect(stderr).toMatch(/2 held threads have the id twice/);
    expect(exitCode).toBe(2);
  });
});
