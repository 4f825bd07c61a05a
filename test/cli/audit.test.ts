import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CliResult } from '../support/run-cli.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { lease as runLease, startLease } from './lease-cli.js';
import { openRedisSite, type RedisSite } from './lease-site.js';

const THREAD = 'user-42\0t-1';
const NAME = ['--resource', 'user-42', '--thread', 't-1'];

let site: RedisSite;
let folder: string;
let file: string;

beforeAll(async () => {
  site = await openRedisSite();
  folder = mkdtempSync(join(process.env.TMPDIR ?? '/tmp', 'mastra-lease-audit-'));
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  await site.clear();
  file = join(mkdtempSync(join(folder, 'a')), 'audit.ndjson');
});

type LeaseOptions = Parameters<typeof runLease>[1];

function lease(args: readonly string[], options: LeaseOptions = {}): Promise<CliResult> {
  return runLease(args, { backend: site.name, ...options });
}

function audited(path = file): Record<string, unknown>[] {
  const text = readFileSync(path, 'utf8');
  expect(text).toMatch(/\n$/);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('an audit line', () => {
  test('tells when, who, why, where, what, from whom and to whom a thread was transferred', async () => {
    await site.hold(THREAD, 'run-1');
    const why = ['--reason', 'pod 7 is gone', '--audit-file', file];
    const moved = await lease([
      'transfer',
      ...NAME,
      '--force',
      '--yes',
      '--to',
      'run-2',
      '--ttl',
      '30s',
      ...why,
    ]);
    expect(moved).toMatchObject({ exitCode: 0, stdout: 'transferred\n' });
    expect(audited()).toEqual([
      {
        schema: 'mastra-lease/audit@1',
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        user: expect.any(String),
        host: expect.any(String),
        reason: 'pod 7 is gone',
        verb: 'transfer',
        key: 'user-42\\0t-1',
        kind: 'thread',
        resource: 'user-42',
        thread: 't-1',
        before: { owner: 'run-1', remainingMs: expect.any(Number) },
        wanted: { owner: 'run-2', remainingMs: 30_000 },
        after: { owner: 'run-2', remainingMs: 30_000 },
        outcome: 'done',
        source: expect.objectContaining({ backend: `${site.name}/0`, foundBy: 'MASTRA_LEASE_BACKEND' }),
      },
    ]);
    expect(moved.stderr).toMatch(
      /^audit: \S+@\S+ transfer thread t-1 · resource user-42 from run-1: done, now run-2 · pod 7 is gone$/m,
    );
  });

  test('is written for every write, refused ones too, and appended to what others wrote', async () => {
    writeFileSync(file, '{"mine":true}\n');
    const written = ['--audit-file', file];
    await lease(['acquire', 'k', '--owner', 'a', ...written]);
    await lease(['acquire', 'k', '--owner', 'b', ...written]);
    await lease(['renew', 'k', '--owner', 'a', ...written]);
    await lease(['release', 'k', 'l', '--owner', 'a', ...written]);
    const [mine, ...lines] = audited();
    expect(mine).toEqual({ mine: true });
    expect(lines.map(({ verb, key, outcome, after }) => [verb, key, outcome, ownerOf(after)])).toEqual([
      ['acquire', 'k', 'done', 'a'],
      ['acquire', 'k', 'refused', 'a'],
      ['renew', 'k', 'done', 'a'],
      ['release', 'k', 'done', null],
      ['release', 'l', 'refused', null],
    ]);
  });

  test('is written for the claim and the release of exec, and its renewals are left out', async () => {
    const run = await lease([
      'exec',
      'k',
      '--owner',
      'a',
      '--ttl',
      '1s',
      '--grace',
      '100ms',
      '--audit-file',
      file,
      '--',
      'sleep',
      '1.5',
    ]);
    expect(run.exitCode).toBe(0);
    expect(audited().map(({ verb, outcome }) => [verb, outcome])).toEqual([
      ['acquire', 'done'],
      ['release', 'done'],
    ]);
  });

  test('is written where nothing was sent because the server is away, with the error', async () => {
    const dead = await lease(['acquire', 'k', '--owner', 'a', '--audit-file', file], {
      backend: 'redis://:sesame@127.0.0.1:1',
    });
    expect(dead.exitCode).toBe(7);
    expect(audited()).toMatchObject([{ outcome: 'failed', error: { code: 'ERR_LEASE_UNREACHABLE' } }]);
    expect(readFileSync(file, 'utf8')).not.toContain('sesame');
  });

  test('of a write that was interrupted says that its outcome is unknown, and for whom it was', async () => {
    await using proxy = await startTcpProxy(site.server);
    proxy.pause();
    const args = ['acquire', 'k', '--wait', '30s', '--ttl', '30s', '--audit-file', file];
    await using running = await startLease(args, { backend: proxy.url });
    await waitFor(() => proxy.commands.some(([name]) => name?.startsWith('eval')), {
      what: 'the claim to be sent',
    });
    running.child.kill('SIGTERM');
    const { exitCode, stderr } = await running.done;
    expect(exitCode).toBe(143);
    const [line] = audited();
    expect(line).toMatchObject({
      verb: 'acquire',
      outcome: 'unknown',
      wanted: { owner: expect.any(String) },
    });
    expect(stderr).toContain(`a write may have been sent (acquire k for ${Object(line?.wanted).owner})`);
  });

  test('begins anew after half a line that somebody left', async () => {
    writeFileSync(file, '{"half');
    await lease(['acquire', 'k', '--owner', 'a', '--audit-file', file]);
    expect(readFileSync(file, 'utf8')).toMatch(/^\{"half\n\{"schema".*\}\n$/);
  });

  test('goes to the new file once the old one was rotated away', async () => {
    const args = ['exec', 'k', '--owner', 'a', '--audit-file', file, '--', 'mv', file, `${file}.1`];
    expect(await lease(args)).toMatchObject({ exitCode: 0 });
    expect(audited(`${file}.1`)).toMatchObject([{ verb: 'acquire' }]);
    expect(audited()).toMatchObject([{ verb: 'release' }]);
  });

  test('is not written for a read or a dry run, and is no talk under --json or --quiet', async () => {
    const written = ['--audit-file', file];
    expect(await lease(['acquire', 'k', '--owner', 'a', '--dry-run', ...written])).toMatchObject({
      exitCode: 0,
    });
    expect(() => statSync(file)).toThrow('ENOENT');
    expect(await lease(['acquire', 'k', '--owner', 'a', '--json', ...written])).toMatchObject({ stderr: '' });
    expect(await lease(['renew', 'k', '--owner', 'a', '-q', ...written])).toMatchObject({ stderr: '' });
    expect(audited()).toHaveLength(2);
  });

  test('cannot be forged by a reason, an owner or a key', async () => {
    const hostile = 'x\n{"verb":"release"}\u001b[2J';
    const run = await lease([
      'acquire',
      'k\\x0a',
      '--owner',
      'o\\x0a',
      '--reason',
      hostile,
      '--audit-file',
      file,
    ]);
    expect(run.stderr).not.toContain('\u001b');
    expect(audited()).toMatchObject([{ key: 'k\\x0a', after: { owner: 'o\\x0a' } }]);
  });
});

describe('an audit file', () => {
  test('that is made can be read by its owner alone', async () => {
    await lease(['acquire', 'k', '--owner', 'a', '--audit-file', file]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['in a folder that is not there', () => join(folder, 'none', 'audit.ndjson'), 'ENOENT'],
    ['that is a folder', () => folder, 'EISDIR'],
  ])('%s stops the write before it is sent', async (_, path, why) => {
    const run = await lease(['acquire', 'k', '--owner', 'a', '--audit-file', path()]);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toMatch(
      new RegExp(`^error Expected a file .+ as --audit-file, got .+: ${why}; nothing was sent\n$`),
    );
    expect(await site.heldKeys()).toEqual([]);
  });

  test('that is full after the write was sent is told, with the line, whatever is quiet', async () => {
    const run = await lease(['acquire', 'k', '--owner', 'a', '-q', '--audit-file', '/dev/full']);
    expect(run).toMatchObject({ exitCode: 0, stdout: 'a\n' });
    expect(run.stderr).toMatch(
      /^\/dev\/full could not be written \(ENOSPC\): \{"schema":"mastra-lease\/audit@1".*\}\n$/,
    );
  });

  test('is named by the config, relative to it, and by a variable before that', async () => {
    const config = join(file, '..', 'mastra-lease.config.json');
    const context = { backend: site.name, auditFile: 'from-config.ndjson' };
    writeFileSync(config, JSON.stringify({ contexts: { here: context } }));
    const asked = ['--config', config, '--context', 'here'];
    const run = (args: readonly string[], env = {}) => runLease([...args, ...asked], { env });
    expect(await run(['acquire', 'k', '--owner', 'a'])).toMatchObject({ exitCode: 0 });
    expect(audited(join(file, '..', 'from-config.ndjson'))).toHaveLength(1);
    await run(['renew', 'k', '--owner', 'a'], { MASTRA_LEASE_AUDIT_FILE: file });
    expect(audited()).toMatchObject([{ verb: 'renew' }]);
    expect(audited(join(file, '..', 'from-config.ndjson'))).toHaveLength(1);
  });
});

function ownerOf(holder: unknown): unknown {
  return holder !== null && typeof holder === 'object' && 'owner' in holder ? holder.owner : holder;
}
