import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/conformance/random.js';
import { unescapeText } from '../../src/lease/text.js';
import { lease, startLease } from '../cli/lease-cli.js';
import { openRedisSite, type RedisSite, recordOf } from '../cli/lease-site.js';
import { makeTempDir } from '../support/temp-dir.js';
import { waitFor } from '../support/wait-for.js';
import { expectSafe, HARMFUL, storableText } from './hostile-text.js';
import { runInProcess } from './in-process.js';

let site: RedisSite;

beforeAll(async () => {
  site = await openRedisSite();
});
beforeEach(() => site.clear());
afterAll(() => site[Symbol.asyncDispose]());

const run = (words: readonly string[]) => runInProcess(words, { env: { MASTRA_LEASE_BACKEND: site.name } });

/** Ids that an application let its users choose. */
const ids = fc.uniqueArray(fc.tuple(storableText, storableText, storableText), {
  selector: ([resource, thread]) => `${resource}\0${thread}`,
  minLength: 1,
  maxLength: 8,
});

describe('ids that an application has stored, whatever is in them', () => {
  test('are printed by every verb without what a terminal acts on, and read back to the same ids', async () => {
    await fc.assert(
      fc.asyncProperty(ids, async (leases) => {
        await site.clear();
        for (const [resource, thread, owner] of leases) await site.hold(`${resource}\0${thread}`, owner);
        const listed = await run(['list', '--json']);
        const lines: { key?: string; owner?: string }[] = listed.stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line));
        const seen = lines.slice(0, -1).map(({ key = '', owner = '' }) => [key, owner]);
        expect(seen.map((texts) => texts.map((text) => unescapeText(text))).sort(byText)).toEqual(
          leases.map(([r, t, o]) => [{ text: `${r}\0${t}` }, { text: o }]).sort(byText),
        );
        const [key = ''] = seen[0] ?? [];
        for (const words of [
          ['list'],
          ['owner', '--', key],
          ['inspect', '--', key],
          ['inspect'],
          ['acquire', '--owner', 'run-9', '--yes', '--', key],
          ['release', '--force', '--yes', '--', key],
        ]) {
          const { stdout, stderr, exitCode } = await run(words);
          expect({ words, exitCode, stderr }).not.toMatchObject({ exitCode: 1 });
          expectSafe(stdout);
          expectSafe(stderr);
        }
      }),
      { numRuns: 60 },
    );
  }, 120_000);

  test('go through the event stream and a recording in the same way', async () => {
    await using directory = await makeTempDir();
    const file = join(directory.path, 'recording');
    const stored = HARMFUL.filter((text) => text.isWellFormed());
    for (const text of stored) await site.hold(`${text}\0${text}`, text);
    const live = await lease(['watch', '--for', '1s', '--record', file], { backend: site.name });
    expect(live.stdout).toContain(`snapshot      ${stored.length} leases`);
    const replayed = await run(['watch', '--replay', file]);
    expect(replayed.exitCode).toBe(0);
    for (const text of [live.stdout, live.stderr, replayed.stdout, replayed.stderr]) expectSafe(text);
  });
});

/** By what it is written as: any order will do that is the same for both. */
function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

describe('values that are far too large', () => {
  const MIB = 2 ** 20;
  /** Little memory for what is large: what is read once may be held a few times over, and no more. */
  const env = { NODE_OPTIONS: '--max-old-space-size=160' };

  test('a lease of 10 MB is printed whole, and named where it is refused', async () => {
    const owner = `${'run-'.repeat((10 * MIB) / 4)}\x1b]0;x\x07`;
    await site.hold('deploy', owner, 600_000);
    const held = await lease(['owner', 'deploy'], { backend: site.name, env });
    expect(held.exitCode).toBe(0);
    expect(held.stdout.length).toBeGreaterThan(10 * MIB);
    expectSafe(held.stdout);
    const refused = await lease(['acquire', 'deploy', '--owner', 'run-1'], { backend: site.name, env });
    expect(refused).toMatchObject({ exitCode: 3, stdout: '' });
    expect(refused.stderr).toContain('held: deploy is run-run-');
    const inspected = await lease(['inspect', 'deploy'], { backend: site.name, env });
    expect(inspected.exitCode).toBe(0);
    expectSafe(inspected.stdout);
  }, 60_000);

  test('a key and an owner of 1 MB are taken from a file and from stdin, and listed', async () => {
    const long = 'k'.repeat(MIB);
    const stdin = `${JSON.stringify({ key: long })}\n`;
    await site.hold(long, long, 600_000);
    expect(await lease(['owner', '-'], { backend: site.name, env, stdin })).toMatchObject({ exitCode: 0 });
    const listed = await lease(['list'], { backend: site.name, env });
    expect(listed).toMatchObject({ exitCode: 0 });
    expect(listed.stdout.split('\n')[0]?.length).toBeGreaterThan(2 * MIB);
  }, 60_000);

  test('many of them stream through a listing in little memory', async () => {
    const owner = 'o'.repeat(MIB);
    for (let index = 0; index < 100; index += 1) await site.hold(`key-${index}`, owner, 600_000);
    await using listing = await startLease(['list', '--json'], {
      backend: site.name,
      env,
      timeoutMs: 60_000,
    });
    const { exitCode, stdout } = await listing.done;
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ complete: true, total: 100 });
  }, 120_000);
});

describe('a listing of very many leases', () => {
  const LEASES = Number(process.env.HOSTILE_LEASES ?? 100_000);
  const random = seededRandom(LEASES);

  test('that is interrupted, whenever that is, ends at once and never says that it was complete', async () => {
    const fill = `for i = 1, ${LEASES} do redis.call('set', ARGV[1] .. i, 'run-' .. i, 'PX', 3600000) end`;
    await site.client.eval(fill, 0, recordOf('key-'));
    for (let round = 0; round < 6; round += 1) {
      await using running = await startLease(['list', '--json'], { backend: site.name, timeoutMs: 60_000 });
      const after = Math.floor(random.next() * LEASES * 0.5);
      await waitFor(() => running.output.stdout.length > after * 100 || running.child.exitCode !== null, {
        deadlineMs: 30_000,
        everyMs: 2,
      });
      running.child.kill('SIGINT');
      const { exitCode, stdout, stderr } = await running.done;
      // It may have been just about to end.
      if (exitCode === 0) continue;
      expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: 'error Interrupted by SIGINT\n' });
      expect(stdout).not.toContain('"complete":true');
      expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ exitCode: 130 });
    }
  }, 120_000);
});

test('an application’s names are no paths: a lease named like a file reads and makes none', async () => {
  await using directory = await makeTempDir();
  await writeFile(join(directory.path, 'secret'), 'S3cret');
  const key = `../../..${directory.path}/secret`;
  const ran = await run(['acquire', key, '--owner', 'run-1']);
  expect(ran).toMatchObject({ exitCode: 0, stdout: 'run-1\n' });
  expect(await site.heldKeys()).toEqual([key]);
});
