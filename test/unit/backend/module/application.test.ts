import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RedisServer, startRedis } from '../../../support/redis-server.js';
import { makeTempDir } from '../../../support/temp-dir.js';
import { fixture, load } from './load-task.js';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

function loadFixture(path: string, exportName?: string) {
  return load({ path: fixture(path), ...(exportName && { exportName }) }, { FIXTURE_REDIS_URL: redis.url });
}

describe('an application', () => {
  it.each([
    ['redis-streams/pubsub.ts', 'RedisStreamsPubSub', 'mastra:topic'],
    ['redis-prefix/pubsub.ts', 'RedisStreamsPubSub', 'mastra:my-app'],
    ['redis-lying/pubsub.ts', 'DecoratedPubSub', 'mastra:topic'],
  ])('leases in Redis by the record that Mastra writes: %s', async (path, className, prefix) => {
    const client = await redis.client();
    await client.flushall();
    const result = await loadFixture(path);
    expect(result).toMatchObject({
      path: ['export pubsub'],
      className,
      acquired: { acquired: true, owner: 'owner-1' },
      owner: 'owner-1',
      rejections: [],
    });
    expect(await client.keys('*')).toEqual([`${prefix}:lease:key-1`]);
    expect(await client.get(`${prefix}:lease:key-1`)).toBe('owner-1');
    expect(await client.pttl(`${prefix}:lease:key-1`)).toBeGreaterThan(50_000);
  });

  it.each([
    ['caching/pubsub.ts', 'CachingPubSub'],
    ['event-emitter/pubsub.ts', 'EventEmitterPubSub'],
    ['no-leasing/pubsub.ts', 'BroadcastPubSub'],
    ['second-copy/pubsub.js', 'EventEmitterPubSub'],
    ['redis-no-url/pubsub.ts', undefined],
  ])('may have any pubsub: %s', async (path, className) => {
    const result = await load({ path: fixture(path), only: 'load' }, { FIXTURE_REDIS_URL: redis.url });
    expect(result.exports).toEqual(['pubsub']);
    if (className === undefined) return;
    expect(await loadFixture(path)).toMatchObject({ path: ['export pubsub'], className });
  });

  it('may be CommonJS, whose classes keep their private fields', async () => {
    for (const path of ['commonjs/pubsub.js', 'commonjs/assigned.cts', 'commonjs/compiled.js']) {
      expect(await loadFixture(path)).toMatchObject({ path: ['export default'], owner: 'owner-1' });
    }
    expect(await loadFixture('commonjs/interop.ts')).toMatchObject({
      path: ['export pubsub'],
      owner: 'owner-1',
    });
  });

  it('may be a whole Mastra project, with the variables of its .env', async () => {
    const client = await redis.client();
    await client.flushall();
    const root = fixture('mastra-project');
    const result = await load(
      {
        path: join(root, 'src/mastra/index.ts'),
        kind: 'mastra',
        root,
        variables: ['FIXTURE_REDIS_URL', 'MASTRA_WORKERS'],
      },
      { FIXTURE_REDIS_URL: redis.url },
    );
    expect(result).toMatchObject({
      path: ['export mastra', '.pubsub'],
      envFiles: [join(root, '.env')],
      owner: 'owner-1',
      variables: { FIXTURE_REDIS_URL: redis.url, MASTRA_WORKERS: 'false' },
    });
    expect(await client.keys('*')).toEqual(['mastra:from-env:lease:key-1']);
  });

  it('may print, leave a server open, or lose a rejection: it is loaded all the same', async () => {
    const printing = await loadFixture('prints/pubsub.ts');
    expect(printing).toMatchObject({ label: 'printed', owner: 'owner-1' });
    expect(printing.stdout).toContain('fixture: a line by console.log');
    expect(await loadFixture('leaves-open/pubsub.ts')).toMatchObject({ label: 'with a server' });
    expect(await loadFixture('unhandled-rejection/pubsub.ts')).toMatchObject({
      label: 'while something failed',
      rejections: ['the cache could not be warmed up'],
    });
  });

  it('may need something made first, which is named when it fails', async () => {
    expect(await loadFixture('factory/leases.ts', 'makeLeasesLater')).toMatchObject({
      path: ['export makeLeasesLater', 'its result'],
      label: 'made later',
    });
    expect(await loadFixture('class/leases.ts')).toMatchObject({
      path: ['export Leases', 'a new instance'],
      label: 'constructed',
    });
    expect((await loadFixture('class/failing.ts')).error?.message).toBe(
      `${fixture('class/failing.ts')}: new Leases() failed: RangeError: LEASE_REGION is not set (at failing.ts:6)`,
    );
  });

  it('has one limit for all of it', async () => {
    const { error } = await load({
      path: fixture('factory/leases.ts'),
      exportName: 'neverMake',
      deadlineMs: 2_000,
    });
    expect(error?.message).toBe(`${fixture('factory/leases.ts')}: neverMake() did not settle in time`);
  });
});

describe('the environment of an application', () => {
  const SOURCE = `
    export const pubsub = { publish() {}, subscribe() {}, label: [process.env.FIXTURE_A, process.env.FIXTURE_B, process.env.MASTRA_WORKERS] };
  `;

  async function makeProject() {
    const project = await makeTempDir();
    const source = join(project.path, 'src', 'deep', 'pubsub.ts');
    await mkdir(join(project.path, 'src', 'deep'), { recursive: true });
    await writeFile(join(project.path, 'package.json'), '{ "type": "module" }');
    await writeFile(
      join(project.path, '.env'),
      'FIXTURE_A=from-env\nFIXTURE_B=from-env\nMASTRA_WORKERS=true\n',
    );
    await writeFile(source, SOURCE);
    return Object.assign(project, { source });
  }

  it('is the real one, then the .env of the package that the module is in; workers stay off', async () => {
    await using project = await makeProject();
    const { label, envFiles } = await load({ path: project.source }, { FIXTURE_A: 'real' });
    expect(label).toEqual(['real', 'from-env', 'false']);
    expect(envFiles).toEqual([join(project.path, '.env')]);
  });

  it('has workers on where the user turned them on', async () => {
    await using project = await makeProject();
    const { label } = await load({ path: project.source }, { FIXTURE_A: '', MASTRA_WORKERS: 'scheduler' });
    expect(label).toEqual(['', 'from-env', 'scheduler']);
  });

  it('has the file that was named instead, which must be there', async () => {
    await using project = await makeProject();
    const envFile = join(project.path, 'other.env');
    const missing = await load({ path: project.source, envFile });
    expect(missing.error).toMatchObject({ code: 'ERR_LEASE_INVALID_CONFIG' });
    expect(missing.error?.message).toContain(`${envFile} (ENOENT)`);
    await writeFile(envFile, 'FIXTURE_B=other\n');
    for (const env of [{}, { MASTRA_SKIP_DOTENV: '1' }]) {
      const { label, envFiles } = await load({ path: project.source, envFile }, env);
      expect(label).toEqual([null, 'other', 'false']);
      expect(envFiles).toEqual([envFile]);
    }
  });

  it('has no file where Mastra is told to skip them', async () => {
    await using project = await makeProject();
    const { label, envFiles } = await load({ path: project.source }, { MASTRA_SKIP_DOTENV: 'true' });
    expect(label).toEqual([null, null, 'false']);
    expect(envFiles).toEqual([]);
  });
});
