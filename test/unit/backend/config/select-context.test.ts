import { describe, expect, it } from 'vitest';
import type { LeaseConfig } from '../../../../src/backend/config/define-config.js';
import type { FoundConfig } from '../../../../src/backend/config/find-config.js';
import { listContexts } from '../../../../src/backend/config/list-contexts.js';
import { defaultOf, selectContext, topOf } from '../../../../src/backend/config/select-context.js';
import { failureOf } from './project.js';

const project = (config: LeaseConfig): FoundConfig => ({
  config,
  path: '/app/mastra-lease.config.ts',
  origin: 'project',
});
const user = (config: LeaseConfig): FoundConfig => ({
  config,
  path: '/home/u/.config/mastra-lease/config.json',
  origin: 'user',
});

describe('a context', () => {
  it('has the fields of its own over those at the top of its file', () => {
    const found = project({
      keyPrefix: 'mastra:app',
      timeout: '5s',
      readOnly: true,
      username: 'ops',
      password: 'shared',
      contexts: { prod: { backend: 'redis://prod', timeout: '2s', readOnly: false, keyPrefix: undefined } },
    });
    expect(selectContext([found], 'prod')).toEqual({
      backend: 'redis://prod',
      keyPrefix: 'mastra:app',
      timeout: '2s',
      readOnly: false,
      username: 'ops',
      password: 'shared',
      context: 'prod',
      path: '/app/mastra-lease.config.ts',
      origin: 'project',
    });
  });

  it('without a backend of its own is another view of the one at the top, with its login', () => {
    const found = project({
      backend: 'redis://a',
      password: 'p',
      contexts: { other: { keyPrefix: 'other' } },
    });
    expect(selectContext([found], 'other')).toMatchObject({
      backend: 'redis://a',
      password: 'p',
      keyPrefix: 'other',
    });
  });

  it('with a backend of its own never gets the login, TLS or inspector of the one at the top', () => {
    const found = project({
      backend: 'rediss://a',
      inspect: 'redis://a',
      username: 'u',
      password: 'p',
      tls: { insecure: true },
      keyPrefix: 'k',
      contexts: { b: { backend: 'redis://b' } },
    });
    const { origin: _, path: _path, ...selected } = selectContext([found], 'b');
    expect(selected).toEqual({ backend: 'redis://b', keyPrefix: 'k', context: 'b' });
  });

  it.each([
    ['redis://:own@b', undefined],
    ['redis://user:own@b/0', undefined],
    ['redis://b/0?x=a@b', 'shared'],
    ['redis+unix:///a@b.sock', 'shared'],
    ['./a@b.ts', 'shared'],
  ])(
    'with the backend %s gets the shared password %s: a login in its URL is its own',
    (backend, password) => {
      const found = project({ username: 'ops', password: 'shared', contexts: { b: { backend } } });
      expect(selectContext([found], 'b').password).toBe(password);
    },
  );

  it('of the project comes before the user’s of the same name', () => {
    const configs = [
      project({ contexts: { prod: { backend: 'local' } } }),
      user({ contexts: { prod: {}, mine: {} } }),
    ];
    expect(selectContext(configs, 'prod')).toMatchObject({ origin: 'project', backend: 'local' });
    expect(selectContext(configs, 'mine')).toMatchObject({ origin: 'user' });
  });

  it.each([
    [
      'prd',
      'No context prd in /app/mastra-lease.config.ts and /home/u/.config/mastra-lease/config.json: did you mean prod?',
    ],
    [
      'qa',
      'No context qa in /app/mastra-lease.config.ts and /home/u/.config/mastra-lease/config.json: there are prod, staging',
    ],
    ['constructor', ': there are prod, staging'],
    ['\u001b[2J', 'No context \\x1b[2J in'],
  ])('that is not there is refused: %j', async (name, expected) => {
    const configs = [project({ contexts: { prod: {} } }), user({ contexts: { staging: {}, prod: {} } })];
    expect(await failureOf(() => selectContext(configs, name))).toContain(expected);
  });

  it('names its certificate authorities by a path that is relative to its file', () => {
    const found = project({
      contexts: { a: { tls: { ca: './ca.pem' } }, b: { tls: { ca: '/etc/ca.pem' } } },
    });
    expect(selectContext([found], 'a').tls?.ca).toBe('/app/ca.pem');
    expect(selectContext([found], 'b').tls?.ca).toBe('/etc/ca.pem');
  });
});

describe('what is taken when no context is named', () => {
  it('is the default context, or else the backend at the top; the project’s first', () => {
    const contexts = { prod: { backend: 'redis://prod' } };
    expect(defaultOf([project({ backend: 'local', contexts, defaultContext: 'prod' })])).toMatchObject({
      context: 'prod',
    });
    const top = defaultOf([
      project({ backend: 'local', contexts }),
      user({ contexts, defaultContext: 'prod' }),
    ]);
    expect(top).toMatchObject({ backend: 'local', origin: 'project' });
    expect(top).not.toHaveProperty('context');
    expect(defaultOf([project({ contexts }), user({ backend: 'memory:' })])).toMatchObject({
      origin: 'user',
    });
  });

  it('is nothing where no config decides', () => {
    expect(defaultOf([])).toBeUndefined();
    expect(defaultOf([project({ contexts: { prod: { backend: 'local' } }, timeout: '1s' })])).toBeUndefined();
  });

  it('does not take the names of contexts for settings', () => {
    expect(topOf(project({ timeout: '1s', contexts: { a: {} }, defaultContext: 'a' }))).toEqual({
      timeout: '1s',
      path: '/app/mastra-lease.config.ts',
      origin: 'project',
    });
  });
});

describe('the list of contexts', () => {
  it('names every context with its backend, without any secret, and marks which is taken', async () => {
    const configs = [
      project({
        contexts: {
          prod: { backend: 'rediss://ops:s3cr3t@cache:6380/1', readOnly: true },
          app: { backend: './src/pubsub.ts#pubsub' },
          file: { backend: 'sqlite:leases.db' },
          project: { backend: 'mastra:.' },
          home: { backend: 'local' },
          none: {},
          odd: { backend: 'http://ops:s3cr3t@x' },
          broken: { backend: 'redis://ops:s3#cr3t@x:y' },
        },
        defaultContext: 'prod',
      }),
      user({ backend: 'memory:', contexts: { prod: { backend: 'redis://mine' } }, defaultContext: 'prod' }),
    ];
    const listed = await listContexts(configs);
    expect(
      listed.map(({ name, backend }) => [name, 'name' in backend ? backend.name : backend.problem]),
    ).toEqual([
      ['prod', 'rediss://cache:6380/1'],
      ['app', '/app/src/pubsub.ts#pubsub'],
      ['file', 'sqlite:/app/leases.db'],
      ['project', 'mastra:/app'],
      ['home', 'local'],
      ['none', 'it names no backend'],
      ['odd', expect.stringContaining('got the scheme http:')],
      ['broken', expect.stringContaining('@')],
      [undefined, 'memory:'],
      ['prod', 'redis://mine:6379/0'],
    ]);
    expect(JSON.stringify(listed)).not.toContain('s3');
    expect(listed.filter(({ isReadOnly }) => isReadOnly)).toMatchObject([
      { name: 'prod', origin: 'project' },
    ]);
    expect(listed.filter(({ isDefault }) => isDefault)).toMatchObject([{ name: 'prod', origin: 'project' }]);
    expect(listed.filter(({ isShadowed }) => isShadowed)).toMatchObject([{ name: 'prod', origin: 'user' }]);
  });

  it('is empty without a config', async () => {
    expect(await listContexts([])).toEqual([]);
  });
});
