import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LocateOptions, locateBackend } from '../../../src/backend/locate.js';
import { STEPS, type Step } from '../../../src/backend/locate-steps.js';
import { findMastraEntry } from '../../../src/backend/module/mastra-project.js';
import { failureOf, makeProject, type Project } from './config/project.js';

type Given = Partial<LocateOptions>;

const locate = (project: Project, given: Given = {}) =>
  locateBackend({ ...project.options, access: 'write', findMastraEntry, ...given });

const REDIS = 'redis://:s3cr3t@cache';

/** A config that leaves a trace when it is run. */
async function writeTrap(project: Project): Promise<() => boolean> {
  const trace = join(project.path, 'was-run');
  const content = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(trace)}, ''); throw new Error('run');`;
  await project.write('app/mastra-lease.config.mjs', content);
  await project.write('home/.config/mastra-lease/config.mjs', content);
  await project.write('app/src/mastra/index.mjs', content);
  await project.write('app/.env', 'REDIS_URL=redis://from-the-file');
  return () => existsSync(trace);
}

describe('the order in which a backend is found', () => {
  it('is: flag, variable, config, Mastra project, REDIS_URL, VALKEY_URL, the embedded one; each hides all below it', async () => {
    await using project = await makeProject();
    await project.write('app/src/mastra/index.mjs', 'export const mastra = {};');
    await project.write('app/mastra-lease.config.json', {
      contexts: { prod: { backend: 'redis://prod' }, staging: { backend: 'redis://staging' } },
      defaultContext: 'staging',
    });
    const env: Record<string, string> = { VALKEY_URL: 'valkey://v', REDIS_URL: 'redis://r' };
    const foundBy = async (given: Given = {}) => {
      const { foundBy: step, isNamed, isImplied } = await locate(project, { env, ...given });
      return { step, isNamed, isImplied };
    };

    const named = { isNamed: true, isImplied: false };
    expect(await foundBy({ context: 'prod' })).toEqual({ step: '--context', ...named });
    env.MASTRA_LEASE_BACKEND = 'local';
    expect(await foundBy({ context: 'prod' })).toEqual({ step: '--context', ...named });
    expect(await foundBy({ backend: 'local' })).toEqual({ step: '--backend', ...named });
    expect(await foundBy()).toEqual({ step: 'MASTRA_LEASE_BACKEND', ...named });
    delete env.MASTRA_LEASE_BACKEND;
    env.MASTRA_LEASE_CONTEXT = 'prod';
    expect(await foundBy({ backend: 'local' })).toEqual({ step: '--backend', ...named });
    expect(await foundBy()).toEqual({ step: 'MASTRA_LEASE_CONTEXT', ...named });
    delete env.MASTRA_LEASE_CONTEXT;
    expect(await foundBy()).toEqual({ step: 'config', isNamed: false, isImplied: false });

    await project.write('app/mastra-lease.config.json', {});
    const implied = { isNamed: false, isImplied: true };
    expect(await foundBy()).toEqual({ step: 'mastra project', ...implied });
    await project.write('other/package.json', {});
    const elsewhere = { cwd: join(project.path, 'other') };
    expect(await foundBy(elsewhere)).toEqual({ step: 'REDIS_URL', ...implied });
    delete env.REDIS_URL;
    expect(await foundBy(elsewhere)).toEqual({ step: 'VALKEY_URL', ...implied });
    delete env.VALKEY_URL;
    expect(await foundBy(elsewhere)).toEqual({ step: 'default', ...implied });
  });

  it.each(['MASTRA_LEASE_BACKEND', 'MASTRA_LEASE_CONTEXT', 'REDIS_URL', 'VALKEY_URL'])(
    'is not looked for further when %s is set to nothing: its value was lost',
    async (name) => {
      await using project = await makeProject();
      await expect(locate(project, { env: { [name]: '' } })).rejects.toMatchObject({
        code: 'ERR_LEASE_INVALID_CONFIG',
        message: `${name} is set, and empty`,
      });
      expect(await locate(project, { backend: 'local', env: { [name]: '' } })).toMatchObject({
        isNamed: true,
      });
    },
  );

  it('is not the embedded one where a config names contexts and none was chosen', async () => {
    await using project = await makeProject();
    await project.write('app/mastra-lease.config.json', { contexts: { prod: { backend: 'redis://prod' } } });
    await expect(locate(project, { env: {} })).rejects.toMatchObject({
      code: 'ERR_LEASE_INVALID_CONFIG',
      remedy: 'choose a context by --context: prod',
    });
  });

  it('is told step by step: taken or passed over, and why, without a secret', async () => {
    await using project = await makeProject();
    const told: Step[] = [];
    const { steps } = await locate(project, { env: { REDIS_URL: REDIS }, onStep: (step) => told.push(step) });
    expect(steps).toEqual([
      { step: '--backend', taken: false, why: 'not given' },
      { step: '--context', taken: false, why: 'not given' },
      { step: 'MASTRA_LEASE_BACKEND', taken: false, why: 'not given' },
      { step: 'MASTRA_LEASE_CONTEXT', taken: false, why: 'not given' },
      { step: 'config', taken: false, why: `none in ${project.app} or ${project.home}/.config/mastra-lease` },
      {
        step: 'mastra project',
        taken: false,
        why: `no src/mastra/index.* from ${project.app} up to the package root`,
      },
      { step: 'REDIS_URL', taken: true, why: 'set' },
      { step: 'VALKEY_URL', taken: false, why: 'REDIS_URL comes first' },
      { step: 'default', taken: false, why: 'REDIS_URL comes first' },
    ]);
    expect(told).toEqual(steps);
    expect(steps.map(({ step }) => step)).toEqual(STEPS);
  });

  it('is told up to the failure when nothing is found', async () => {
    await using project = await makeProject();
    const told: Step[] = [];
    const message = await failureOf(locate(project, { access: 'read', onStep: (step) => told.push(step) }));
    expect(message).toContain('No backend found');
    expect(told.map(({ step }) => step)).toEqual(STEPS);
    expect(told.some(({ taken }) => taken)).toBe(false);
  });
});

describe('two names at once', () => {
  it.each<[Given, string]>([
    [{ backend: 'local', context: 'prod' }, 'Expected --backend or --context, got both'],
    [{ backend: 'local', configPath: 'x.json' }, 'Expected --backend or --config, got both'],
    [
      { env: { MASTRA_LEASE_BACKEND: 'local', MASTRA_LEASE_CONTEXT: 'prod' } },
      'Expected MASTRA_LEASE_BACKEND or MASTRA_LEASE_CONTEXT, got both',
    ],
    [
      { env: { MASTRA_LEASE_BACKEND: 'local' }, configPath: 'x.json' },
      'Expected MASTRA_LEASE_BACKEND or --config, got both',
    ],
  ])('are refused: %j', async (given, expected) => {
    await using project = await makeProject();
    expect(await failureOf(locate(project, given))).toContain(expected);
  });

  it('in the environment do not matter where a flag decides', async () => {
    await using project = await makeProject();
    const env = { MASTRA_LEASE_BACKEND: 'local', MASTRA_LEASE_CONTEXT: 'prod' };
    expect(await locate(project, { env, backend: 'memory:' })).toMatchObject({ spec: { kind: 'memory' } });
  });
});

describe('a backend named by a flag or a variable', () => {
  it.each([REDIS, 'sqlite:leases.db', 'local', 'memory:', './backend.mjs', 'mastra:.'])(
    'runs nothing and reads no config of the folder: %s',
    async (backend) => {
      await using project = await makeProject();
      const wasRun = await writeTrap(project);
      await project.write('app/backend.mjs', 'throw new Error("run")');
      const loaded: string[] = [];
      const given: Given = {
        loadModule: async (path) => {
          loaded.push(path);
          throw new Error('run');
        },
      };
      const byFlag = await locate(project, { backend, ...given });
      const byVariable = await locate(project, { env: { MASTRA_LEASE_BACKEND: backend }, ...given });
      expect(byFlag).toMatchObject({ isNamed: true, settings: {}, spec: byVariable.spec });
      expect(byFlag.configPath).toBeUndefined();
      expect(loaded).toEqual([]);
      expect(wasRun()).toBe(false);
    },
  );

  it('and where none is named, the config there is run: the trap of these tests works', async () => {
    await using project = await makeProject();
    const wasRun = await writeTrap(project);
    await failureOf(locate(project));
    expect(wasRun()).toBe(true);
  });

  it('has its paths from the working directory', async () => {
    await using project = await makeProject();
    const path = await project.write('app/src/pubsub.mjs', '');
    const entry = await project.write('app/src/mastra/index.mjs', '');
    const spec = async (backend: string) => (await locate(project, { backend })).spec;
    expect(await spec('sqlite:leases.db')).toEqual({ kind: 'sqlite', path: join(project.app, 'leases.db') });
    expect(await spec('src/pubsub.mjs#bus')).toEqual({ kind: 'module', path, exportName: 'bus' });
    expect(await spec('mastra:.')).toEqual({ kind: 'mastra', entry, root: project.app });
    expect(await spec('local')).toEqual({
      kind: 'sqlite',
      path: join(project.home, '.local/state/mastra-lease/leases.db'),
    });
  });

  it.each([
    ['', 'Expected a backend as redis://'],
    ['http://:s3cr3t@cache', 'got the scheme http:'],
    ['./nope.ts', 'There is no module APP/nope.ts'],
    ['./src/pubsub', 'There is no module APP/src/pubsub — did you mean APP/src/pubsub.mjs?'],
    [
      './src',
      'Expected a module, got the folder APP/src — name a file in it, or a Mastra project by mastra:DIR',
    ],
    ['./src/pubsub.mjs/x.ts', 'There is no module APP/src/pubsub.mjs/x.ts'],
    ['./loop.ts', 'APP/loop.ts cannot be looked at (ELOOP)'],
    [
      './leases.db',
      'Expected a module of .ts, .mts, .cts, .tsx, .js, .mjs, .cjs, .jsx, got leases.db — an SQLite file is named sqlite:APP/leases.db',
    ],
    ['./package.json', 'got package.json'],
    ['mastra:nope', 'There is no folder APP/nope'],
    [
      'sqlite:nope/deep/leases.db',
      'There is no folder APP/nope/deep for the SQLite file — make the folder first',
    ],
    ['sqlite:leases.db/x.db', 'Expected a folder for the SQLite file, and APP/leases.db is a file'],
    ['mastra:src', 'There is no src/mastra/index.ts, .mts, .js or .mjs in APP/src'],
  ])('that is not there is refused by its path, in one line: %j', async (backend, expected) => {
    await using project = await makeProject();
    await project.write('app/src/pubsub.mjs', '');
    await project.write('app/leases.db', '');
    await symlink(join(project.app, 'loop.ts'), join(project.app, 'loop.ts'));
    for (const [source, given] of [
      ['--backend', { backend }],
      ['MASTRA_LEASE_BACKEND', { env: { MASTRA_LEASE_BACKEND: backend } }],
    ] as const) {
      if (backend === '' && source !== '--backend') continue;
      const message = (await failureOf(locate(project, given))).replaceAll(project.app, 'APP');
      expect(message).toMatch(new RegExp(`^${source}: `));
      expect(message).toContain(expected);
      expect(message).not.toContain('s3cr3t');
    }
  });
});

describe('REDIS_URL', () => {
  it.each(['./backend.mjs', 'local', 'sqlite:x', 'cache:6379', 'mastra:.'])(
    'names a Redis server and nothing else: %s',
    async (url) => {
      await using project = await makeProject();
      await project.write('app/backend.mjs', '');
      await project.write('app/src/mastra/index.mjs', '');
      for (const name of ['REDIS_URL', 'VALKEY_URL']) {
        const found = locate(project, { env: { [name]: url }, findMastraEntry: () => undefined });
        expect(await failureOf(found)).toMatch(new RegExp(`^${name}: [Ee]xpected`));
      }
    },
  );
});

describe('the Mastra project', () => {
  it('is found from a folder inside of it', async () => {
    await using project = await makeProject();
    const entry = await project.write('app/src/mastra/index.mjs', '');
    await mkdir(join(project.app, 'src/deep'));
    const found = await locate(project, { cwd: join(project.app, 'src/deep') });
    expect(found).toMatchObject({
      foundBy: 'mastra project',
      spec: { kind: 'mastra', entry, root: project.app },
    });
  });
});

describe('the embedded backend', () => {
  it('is never implied where CI is set, and can be named there', async () => {
    await using project = await makeProject();
    const env = { CI: 'true' };
    expect(await failureOf(locate(project, { env }))).toBe(
      'No backend found: CI is set, where the embedded default is never implied — name one by --backend, MASTRA_LEASE_BACKEND or REDIS_URL, or the embedded one by --backend local',
    );
    expect(await locate(project, { env, backend: 'local' })).toMatchObject({ isImplied: false });
  });

  it('is implied for a read only where it exists: a read never creates it', async () => {
    await using project = await makeProject();
    expect(await failureOf(locate(project, { access: 'read' }))).toContain(
      'nothing was ever leased on this host',
    );
    const path = await project.write('home/.local/state/mastra-lease/leases.db', '');
    expect(await locate(project, { access: 'read' })).toMatchObject({
      foundBy: 'default',
      spec: { kind: 'sqlite', path },
    });
  });

  it('needs a home, or a place of its own', async () => {
    await using project = await makeProject();
    expect(await failureOf(locate(project, { home: undefined }))).toContain(
      'this user has no home directory',
    );
    const env = { XDG_STATE_HOME: '/state' };
    expect(await locate(project, { home: undefined, env })).toMatchObject({
      spec: { path: '/state/mastra-lease/leases.db' },
    });
  });
});
