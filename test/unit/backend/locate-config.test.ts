import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LocateOptions, locateBackend } from '../../../src/backend/locate.js';
import { findMastraEntry } from '../../../src/backend/module/mastra-project.js';
import { failureOf, makeProject, type Project } from './config/project.js';

const locate = (project: Project, given: Partial<LocateOptions> = {}) =>
  locateBackend({ ...project.options, access: 'write', findMastraEntry, ...given });

const SETTINGS = {
  inspect: 'redis://inspect',
  keyPrefix: 'mastra:app',
  timeout: '2s',
  readOnly: true,
  tls: { insecure: true },
  username: 'ops',
  password: 's3cr3t',
  links: { run: 'https://logs/{run}' },
};

const { inspect: _inspect, tls: _tls, username: _username, password: _password, ...GENERAL } = SETTINGS;

describe('a context', () => {
  it('is opened with its settings, and says which config it is from', async () => {
    await using project = await makeProject();
    const path = await project.write('app/mastra-lease.config.json', {
      contexts: { prod: { ...SETTINGS, backend: 'rediss://cache' } },
    });
    for (const given of [{ context: 'prod' }, { env: { MASTRA_LEASE_CONTEXT: 'prod' } }]) {
      expect(await locate(project, given)).toMatchObject({
        spec: { kind: 'redis', url: 'rediss://cache' },
        settings: { ...SETTINGS, backend: 'rediss://cache' },
        inspect: { kind: 'redis', url: 'redis://inspect' },
        context: 'prod',
        configPath: path,
        isNamed: true,
        isImplied: false,
      });
    }
  });

  it('of the user is there in every folder', async () => {
    await using project = await makeProject();
    const path = await project.write('home/.config/mastra-lease/config.json', {
      contexts: { prod: { backend: 'redis://prod' } },
    });
    expect(await locate(project, { context: 'prod' })).toMatchObject({ configPath: path });
    const { steps } = await locate(project, { context: 'prod' });
    expect(steps.find(({ taken }) => taken)).toEqual({
      step: '--context',
      taken: true,
      why: `prod of ${path}`,
    });
  });

  it('without any config is refused by where configs were looked for', async () => {
    await using project = await makeProject();
    expect(await failureOf(locate(project, { context: 'prod' }))).toBe(
      `--context: there is no context prod, since there is no config in ${project.app} or ${project.home}/.config/mastra-lease`,
    );
    expect(await failureOf(locate(project, { env: { MASTRA_LEASE_CONTEXT: 'prod' } }))).toMatch(
      /^MASTRA_LEASE_CONTEXT: /,
    );
  });

  it.each([
    ['prd', 'No context prd in FILE: did you mean prod?'],
    ['', '--context: expected the name of a context, got nothing'],
    ['empty', 'FILE: contexts.empty.backend: expected the name of a backend, got nothing'],
    ['odd', 'FILE: contexts.odd.backend: Expected a backend as'],
    ['gone', 'FILE: contexts.gone.backend: There is no module APP/gone.ts'],
    ['inspected', 'FILE: contexts.inspected.inspect: Expected a backend as'],
  ])('that cannot be used is refused by its field: %j', async (context, expected) => {
    await using project = await makeProject();
    const path = await project.write('app/mastra-lease.config.json', {
      contexts: {
        prod: { backend: 'local' },
        empty: {},
        odd: { backend: 'cache:s3cr3t' },
        gone: { backend: './gone.ts' },
        inspected: { backend: 'local', inspect: 's3cr3t' },
      },
    });
    const message = await failureOf(locate(project, { context }));
    expect(message.replaceAll(path, 'FILE').replaceAll(project.app, 'APP')).toContain(expected);
    expect(message).not.toContain('s3cr3t');
  });

  it('that nobody chose may be wrong without being in the way', async () => {
    await using project = await makeProject();
    await project.write('app/mastra-lease.config.json', {
      contexts: { prod: { backend: 'local' }, gone: { backend: './gone.ts' }, odd: { backend: 'x' } },
    });
    expect(await locate(project, { context: 'prod' })).toMatchObject({ context: 'prod' });
  });
});

describe('the paths of a config', () => {
  it('are from its own folder, not from the working directory', async () => {
    await using project = await makeProject();
    const module = await project.write('app/src/pubsub.mjs', '');
    await project.write('app/mastra-lease.config.json', {
      contexts: {
        module: { backend: './src/pubsub.mjs#bus', inspect: 'sqlite:inspect.db', tls: { ca: 'ca.pem' } },
        file: { backend: 'sqlite:leases.db' },
      },
    });
    const cwd = join(project.app, 'src');
    expect(await locate(project, { cwd, context: 'module' })).toMatchObject({
      spec: { kind: 'module', path: module, exportName: 'bus' },
      inspect: { kind: 'sqlite', path: join(project.app, 'inspect.db') },
      settings: { tls: { ca: join(project.app, 'ca.pem') } },
    });
    expect(await locate(project, { cwd, context: 'file' })).toMatchObject({
      spec: { kind: 'sqlite', path: join(project.app, 'leases.db') },
    });
  });
});

describe('a config’s default', () => {
  it('is its default context, or else the backend at its top; the project’s before the user’s', async () => {
    await using project = await makeProject();
    await project.write('home/.config/mastra-lease/config.json', { backend: 'redis://user' });
    expect(await locate(project)).toMatchObject({ foundBy: 'config', spec: { url: 'redis://user' } });
    const path = await project.write('app/mastra-lease.config.json', { backend: 'redis://top' });
    const top = await locate(project);
    expect(top).toMatchObject({ spec: { url: 'redis://top' }, context: undefined, configPath: path });
    expect(top.steps[4]).toEqual({ step: 'config', taken: true, why: `backend of ${path}` });
    await project.write('app/mastra-lease.config.json', {
      backend: 'redis://top',
      contexts: { prod: { backend: 'redis://prod' } },
      defaultContext: 'prod',
    });
    const inContext = await locate(project);
    expect(inContext).toMatchObject({ spec: { url: 'redis://prod' }, context: 'prod' });
    expect(inContext.steps[4]?.why).toBe(`defaultContext prod of ${path}`);
  });

  it('that a config does not have leads on to the next step, which says so', async () => {
    await using project = await makeProject();
    const path = await project.write('app/mastra-lease.config.json', {
      contexts: { prod: { backend: 'local' } },
    });
    const { foundBy, steps } = await locate(project, { env: { REDIS_URL: 'redis://r' } });
    expect(foundBy).toBe('REDIS_URL');
    expect(steps[4]).toEqual({
      step: 'config',
      taken: false,
      why: `${path}: neither a backend nor a defaultContext`,
    });
  });

  it('that no step finds is answered by the contexts that could be chosen', async () => {
    await using project = await makeProject();
    await project.write('app/mastra-lease.config.json', { contexts: { prod: {}, staging: {} } });
    for (const given of [{ access: 'read' }, { env: { CI: '1' } }] as const) {
      expect(await failureOf(locate(project, given))).toMatch(
        /^No backend found: .* — choose a context by --context: prod, staging$/,
      );
    }
  });

  it('of a config named by --config is needed: nothing else is taken in its stead', async () => {
    await using project = await makeProject();
    await project.write('app/ops.json', { contexts: { prod: { backend: 'local' } } });
    const given = { configPath: 'ops.json', env: { REDIS_URL: 'redis://r' } };
    expect(await failureOf(locate(project, given))).toBe(
      `${project.app}/ops.json: neither a backend nor a defaultContext — choose a context by --context: prod`,
    );
    expect(await locate(project, { ...given, context: 'prod' })).toMatchObject({ context: 'prod' });
    await project.write('app/ops.json', { backend: 'local' });
    expect(await locate(project, given)).toMatchObject({ foundBy: 'config' });
  });
});

describe('what a config without a backend says', () => {
  it('holds for the Mastra project that it is in, whole', async () => {
    await using project = await makeProject();
    await project.write('app/src/mastra/index.mjs', '');
    const path = await project.write('app/mastra-lease.config.json', SETTINGS);
    expect(await locate(project)).toMatchObject({
      foundBy: 'mastra project',
      settings: SETTINGS,
      inspect: { kind: 'redis', url: 'redis://inspect' },
      configPath: path,
    });
  });

  it('holds for a backend of a variable but for what logs in: that was not written for this server', async () => {
    await using project = await makeProject();
    await project.write('app/mastra-lease.config.json', SETTINGS);
    for (const env of [{ REDIS_URL: 'redis://r' }, { VALKEY_URL: 'valkey://v' }, {}]) {
      const { settings, inspect } = await locate(project, { env });
      expect(settings).toEqual(GENERAL);
      expect(inspect).toBeUndefined();
    }
  });

  it('in the user’s own config never logs in to what a project is about', async () => {
    await using project = await makeProject();
    await project.write('app/src/mastra/index.mjs', '');
    await project.write('home/.config/mastra-lease/config.json', SETTINGS);
    const { settings, inspect } = await locate(project);
    expect(settings).toEqual(GENERAL);
    expect(inspect).toBeUndefined();
  });

  it('is said by the nearest config alone', async () => {
    await using project = await makeProject();
    await project.write('app/mastra-lease.config.json', { timeout: '1s' });
    await project.write('home/.config/mastra-lease/config.json', { timeout: '2s', readOnly: true });
    expect((await locate(project)).settings).toEqual({ timeout: '1s' });
  });
});
