import { describe, expect, it } from 'vitest';
import { parseBackend } from '../../../src/backend/url.js';
import { failureOf } from './config/project.js';

const parse = (text: string) => parseBackend(text, '/base');

describe('the name of a backend', () => {
  it.each([
    'redis://cache',
    'rediss://user:p%40ss@cache:6380/1',
    'valkey://cache',
    'valkeys://cache',
    'redis+cluster://a,b',
    'redis+sentinel://a,b/main',
    'redis+unix:///run/redis.sock',
    'REDIS://cache',
    'redis://cache/x.ts#y',
  ])('%s is Redis, and kept as it is', (url) => {
    expect(parse(url)).toEqual({ kind: 'redis', url });
  });

  it.each([
    ['local', { kind: 'local' }],
    ['memory:', { kind: 'memory' }],
    ['sqlite:/var/lib/leases.db', { kind: 'sqlite', path: '/var/lib/leases.db' }],
    ['sqlite:leases.db', { kind: 'sqlite', path: '/base/leases.db' }],
    ['sqlite:../leases.db', { kind: 'sqlite', path: '/leases.db' }],
    ['sqlite:///var/leases.db', { kind: 'sqlite', path: '/var/leases.db' }],
    ['mastra:.', { kind: 'mastra-folder', folder: '/base' }],
    ['mastra:apps/api', { kind: 'mastra-folder', folder: '/base/apps/api' }],
    ['mastra:/srv/api/', { kind: 'mastra-folder', folder: '/srv/api' }],
  ])('%s is %j: relative paths are from the base', (text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  it.each([
    ['./pubsub.ts', '/base/pubsub.ts', undefined],
    ['./pubsub.ts#pubsub', '/base/pubsub.ts', 'pubsub'],
    ['../x/pubsub.mjs#default', '/x/pubsub.mjs', 'default'],
    ['/srv/pubsub.cjs', '/srv/pubsub.cjs', undefined],
    ['src/mastra/pubsub.mts#pubsub', '/base/src/mastra/pubsub.mts', 'pubsub'],
    ['index.tsx', '/base/index.tsx', undefined],
    ['./a#b/pubsub.ts#c', '/base/a#b/pubsub.ts', 'c'],
    ['./with space.js#with space', '/base/with space.js', 'with space'],
    ['./no-extension', '/base/no-extension', undefined],
    ['./no-extension#name', '/base/no-extension', 'name'],
    ['.', '/base', undefined],
    ['..', '/', undefined],
    ['./a:b.ts', '/base/a:b.ts', undefined],
  ])('%s is a module', (text, path, exportName) => {
    expect(parse(text)).toEqual({ kind: 'module', path, ...(exportName !== undefined && { exportName }) });
  });

  it.each([
    ['', 'got nothing'],
    ['prod', 'got a name without a scheme'],
    ['user:s3cr3t@cache', 'got the scheme user:'],
    [':s3cr3t@cache:6379', 'got a name without a scheme'],
    ['//:s3cr3t@cache:6379', 'got a name without a scheme'],
    ['//:s3cr3t@cache/x.ts', 'got a name without a scheme'],
    ['http://:s3cr3t@cache/x.ts', 'got the scheme http:'],
    ['redis:s3cr3t@cache', 'got the scheme redis:'],
    ['redis+other://:s3cr3t@cache', 'got the scheme redis+other:'],
    ['sqlite:', 'Expected a path after sqlite:'],
    ['sqlite::memory:', 'after sqlite:, got :memory:'],
    ['sqlite:file:s3cr3t?mode=memory', 'got an SQLite URI (file:…)'],
    ['mastra:', 'Expected a folder after mastra:'],
    ['./pubsub.ts#', 'Expected the name of an export after #'],
    ['./s3cr3t#', 'Expected the name of an export after #'],
    ['LOCAL', 'got a name without a scheme'],
    ['memory', 'got a name without a scheme'],
    ['#pubsub', 'got a name without a scheme'],
  ])('%j is refused, and never quoted back: it may hold a password', async (text, expected) => {
    const message = await failureOf(() => parse(text));
    expect(message).toContain(expected);
    expect(message).not.toContain('s3cr3t');
  });
});
