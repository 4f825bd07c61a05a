import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import type { CliResult } from '../support/run-cli.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { makePackage, writeFiles } from './application-folder.js';
import { expectRefusal } from './expect-refusal.js';
import { lease } from './lease-cli.js';
import { openRedisSite, type RedisSite, recordOf } from './lease-site.js';

let site: RedisSite;
/** Another server, with a password and TLS. */
let locked: RedisServer;

beforeAll(async () => {
  [site, locked] = await Promise.all([openRedisSite(), startRedis({ password: 'hunter2', tls: true })]);
});
beforeEach(() => site.clear());
afterAll(() => Promise.all([site[Symbol.asyncDispose](), locked.stop()]));

const OWNER = ['owner', 'deploy'];

type Env = Readonly<Record<string, string>>;

function runIn(cwd: string, args: readonly string[], env: Env = {}): Promise<CliResult> {
  return lease(args, { cwd, env });
}

/** Two databases of one server, told apart by who holds `deploy`. */
async function twoContexts() {
  const database = (index: number) => `${site.name}/${index}`;
  for (const [index, owner] of ['run-staging', 'run-prod'].entries()) {
    await site.client.select(index + 1);
    await site.client.set(recordOf('deploy'), owner, 'PX', 60_000);
  }
  await site.client.select(0);
  return {
    contexts: { staging: { backend: database(1) }, prod: { backend: database(2) } },
    defaultContext: 'staging',
  };
}

describe('a context', () => {
  test('is the default one, or the one that a flag or a variable names; every answer names it', async () => {
    await using project = await makePackage({ 'mastra-lease.config.json': await twoContexts() });
    const run = (args: readonly string[], env: Env = {}) => runIn(project.path, [...OWNER, ...args], env);
    const [byDefault, byFlag, byVariable, flagFirst, json] = await Promise.all([
      run([]),
      run(['--context', 'prod']),
      run([], { MASTRA_LEASE_CONTEXT: 'prod' }),
      run(['--context', 'staging'], { MASTRA_LEASE_CONTEXT: 'prod' }),
      run(['--context', 'prod', '--json']),
    ]);
    expect(byDefault).toMatchObject({ stdout: 'run-staging\n', exitCode: 0 });
    expect(byDefault.stderr).toContain('· context staging · config\n');
    expect(byFlag).toMatchObject({ stdout: 'run-prod\n', exitCode: 0 });
    expect(byFlag.stderr).toContain('· context prod · --context\n');
    expect(byVariable).toMatchObject({ stdout: 'run-prod\n', exitCode: 0 });
    expect(byVariable.stderr).toContain('· context prod · MASTRA_LEASE_CONTEXT\n');
    expect(flagFirst).toMatchObject({ stdout: 'run-staging\n', exitCode: 0 });
    const source = { context: 'prod', foundBy: '--context', backend: `${site.name}/2`, role: 'primary' };
    expect(json.json()).toMatchObject([{ owner: 'run-prod', source: { ...source, database: 2 } }]);
  });

  test('is not named together with a backend: each decides alone', async () => {
    await using project = await makePackage({ 'mastra-lease.config.json': await twoContexts() });
    const both = await runIn(project.path, [...OWNER, '--backend', site.name, '--context', 'prod']);
    expectRefusal(both, 'Expected --backend or --context, got both');
    const env = { MASTRA_LEASE_BACKEND: site.name, MASTRA_LEASE_CONTEXT: 'prod' };
    const variables = await runIn(project.path, OWNER, env);
    expectRefusal(variables, 'Expected MASTRA_LEASE_BACKEND or MASTRA_LEASE_CONTEXT, got both');
    const flag = await runIn(project.path, [...OWNER, '--context', 'prod'], {
      MASTRA_LEASE_BACKEND: site.name,
    });
    expect(flag).toMatchObject({ stdout: 'run-prod\n', exitCode: 0 });
  });

  test('that no config has is refused: the file, and the names that it has', async () => {
    await using project = await makePackage({ 'mastra-lease.config.json': await twoContexts() });
    const path = join(project.path, 'mastra-lease.config.json');
    const unknown = await runIn(project.path, [...OWNER, '--context', 'pord']);
    expectRefusal(unknown, new RegExp(`No context pord in ${path}: .*prod`));
    await using empty = await makePackage({});
    expectRefusal(await runIn(empty.path, [...OWNER, '--context', 'prod']), /there is no config in/);
  });

  test('may come from the package.json, from a file that is named, and from the user’s own config', async () => {
    const config = await twoContexts();
    await using project = await makePackage({
      'package.json': { type: 'module', 'mastra-lease': { ...config, defaultContext: 'prod' } },
      'src/deep/none.txt': '',
    });
    await using elsewhere = await makePackage({ 'named.json': config });
    await writeFiles(elsewhere.path, {
      'xdg/mastra-lease/config.json': {
        contexts: { ...config.contexts, mine: { backend: `${site.name}/2` } },
      },
    });
    const deep = join(project.path, 'src/deep');
    const env = { XDG_CONFIG_HOME: join(elsewhere.path, 'xdg') };
    const [field, named, own] = await Promise.all([
      runIn(deep, OWNER),
      runIn(deep, [...OWNER, '--config', join(elsewhere.path, 'named.json')]),
      runIn(deep, [...OWNER, '--context', 'mine'], env),
    ]);
    expect(field).toMatchObject({ stdout: 'run-prod\n', exitCode: 0 });
    expect(named).toMatchObject({ stdout: 'run-staging\n', exitCode: 0 });
    expect(own).toMatchObject({ stdout: 'run-prod\n', exitCode: 0 });
    expectRefusal(await runIn(deep, [...OWNER, '--config', 'none.json']), /no config at .*none\.json/);
  });

  test('is listed by check --contexts, without a secret', async () => {
    const contexts = {
      staging: { backend: 'redis://user:hunter2@cache:6379/1', readOnly: true },
      odd: { backend: 'what' },
    };
    await using project = await makePackage({
      'mastra-lease.config.json': { contexts, defaultContext: 'staging', password: 'hunter3' },
    });
    const path = join(project.path, 'mastra-lease.config.json');
    const text = await runIn(project.path, ['check', '--contexts']);
    const json = await runIn(project.path, ['check', '--contexts', '--json']);
    expect(text).toMatchObject({ exitCode: 0, stderr: '' });
    expect(text.stdout.split('\n')[0]).toBe(`staging\tredis://cache:6379/1\tdefault read-only\t${path}`);
    expect(text.stdout.split('\n')[1]).toMatch(/^odd\tunreadable: .*\t-\t/);
    expect(json.json()).toMatchObject([
      { name: 'staging', backend: 'redis://cache:6379/1', readOnly: true, default: true, config: path },
      { name: 'odd', problem: expect.any(String), readOnly: false, default: false },
    ]);
    expect(text.stdout + json.stdout).not.toMatch(/hunter/);
    await using none = await makePackage({});
    expect(await runIn(none.path, ['check', '--contexts'])).toMatchObject({ exitCode: 0, stdout: '' });
  });
});

describe('a config in TypeScript', () => {
  test('has its types from defineConfig, and its password function is called at each connect', async () => {
    await locked
      .client()
      .then((client) => client.set(recordOf('deploy', 'mastra:my-app'), 'run-1', 'PX', 60_000));
    await using proxy = await startTcpProxy(locked);
    await using project = await makePackage({
      'mastra-lease.config.ts': `
        import { appendFile } from 'node:fs/promises';
        import { defineConfig } from 'mastra-lease';
        import { token } from './token.js';
        export default defineConfig({
          contexts: {
            prod: {
              backend: 'rediss://${proxy.host}:${proxy.port}',
              keyPrefix: 'mastra:my-app',
              tls: { ca: './ca.crt', servername: 'localhost' },
              password: async (): Promise<string> => {
                await appendFile(new URL('calls', import.meta.url), '.');
                return token;
              },
            },
          },
        });`,
      'token.ts': "export const token: string = 'hunter2';",
      'ca.crt': locked.tls?.ca ?? '',
    });
    for (const connections of [1, 2]) {
      const result = await runIn(project.path, [...OWNER, '--context', 'prod']);
      expect(result).toMatchObject({ stdout: 'run-1\n', exitCode: 0 });
      expect(result.stderr).not.toContain('hunter2');
      expect(proxy.connectionCount).toBe(connections);
      expect(await readFile(join(project.path, 'calls'), 'utf8')).toBe('.'.repeat(connections));
    }
    await writeFile(join(project.path, 'token.ts'), "export const token: string = 'expired';");
    const refused = await runIn(project.path, [...OWNER, '--context', 'prod']);
    expect(refused).toMatchObject({ exitCode: 10, stdout: '' });
    expect(refused.stderr).not.toContain('expired');
  });

  test('prints on stderr, and what it leaves open ends with the command', async () => {
    await site.hold('deploy', 'run-1');
    await using project = await makePackage({
      'mastra-lease.config.ts': `
        console.log('config: loaded');
        setInterval(() => {}, 1_000);
        export default { backend: '${site.name}' };`,
    });
    const result = await runIn(project.path, [...OWNER, '--json']);
    expect(result.json()).toMatchObject([{ owner: 'run-1', source: { foundBy: 'config' } }]);
    expect(result.stderr).toContain('config: loaded\n');
  });
});

describe('a context that is readOnly', () => {
  const WRITES = [
    ['acquire', 'deploy', '--owner', 'job-1'],
    ['renew', 'deploy', '--owner', 'run-1'],
    ['transfer', 'deploy', '--from', 'run-1', '--to', 'job-1'],
    ['release', 'deploy', '--owner', 'run-1'],
    ['release', 'deploy', '--force', '--yes'],
    ['release', 'thread:abc', '--owner', 'run-1', '--json'],
    ['list', '--probe'],
  ] as const;

  test('refuses every write with 10 before anything is sent', async () => {
    await using proxy = await startTcpProxy(site.server);
    await using project = await makePackage({
      'mastra-lease.config.json': { contexts: { prod: { backend: proxy.url, readOnly: true } } },
    });
    const results = await Promise.all(
      WRITES.map((args) => runIn(project.path, [...args, '--context', 'prod'])),
    );
    for (const [index, result] of results.entries()) {
      expect({ asked: WRITES[index], exitCode: result.exitCode }).toEqual({
        asked: WRITES[index],
        exitCode: 10,
      });
      expect(result.stderr).toMatch(
        /^error Nothing was sent: the context prod is readOnly in .*config\.json/m,
      );
    }
    expect(results[5]?.json()).toMatchObject([{ exitCode: 10, error: { code: 'ERR_LEASE_NOT_PERMITTED' } }]);
    expect(proxy.connectionCount).toBe(0);
  });

  test('refuses before a module is loaded too', async () => {
    await using project = await makePackage({
      'pubsub.mjs': "throw new Error('loaded')",
      'mastra-lease.config.json': { backend: './pubsub.mjs', readOnly: true },
    });
    const result = await runIn(project.path, ['acquire', 'deploy', '--owner', 'job-1']);
    expect(result).toMatchObject({ exitCode: 10, stdout: '' });
    expect(result.stderr).toContain('Nothing was sent: the backend is readOnly in');
  });

  test('lets reads and dry runs through', async () => {
    await site.hold('deploy', 'run-1');
    await using project = await makePackage({
      'mastra-lease.config.json': { backend: site.name, readOnly: true },
    });
    const results = await Promise.all(
      [OWNER, ['list'], ['check'], ...WRITES.slice(0, 5).map((args) => [...args, '--dry-run'])].map((args) =>
        runIn(project.path, args),
      ),
    );
    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 3, 0, 0, 0, 0]);
    expect(await site.read('deploy')).toMatchObject({ owner: 'run-1' });
  });
});

describe('settings', () => {
  test('are those of a flag, then of a variable, then of the config, then the default', async () => {
    for (const from of ['flag', 'variable', 'config']) {
      await site.client.set(recordOf('deploy', from), `by-${from}`, 'PX', 60_000);
    }
    await site.hold('deploy', 'by-default');
    await using project = await makePackage({
      'mastra-lease.config.json': { backend: site.name, keyPrefix: 'config' },
      'plain.json': { backend: site.name },
    });
    const variable = { MASTRA_LEASE_KEY_PREFIX: 'variable' };
    const results = await Promise.all([
      runIn(project.path, [...OWNER, '--key-prefix', 'flag'], variable),
      runIn(project.path, OWNER, variable),
      runIn(project.path, OWNER),
      runIn(project.path, [...OWNER, '--config', 'plain.json']),
    ]);
    expect(results.map(({ stdout }) => stdout.trim())).toEqual([
      'by-flag',
      'by-variable',
      'by-config',
      'by-default',
    ]);
  });

  test('log in as a user of the config, unless a flag or a variable names another', async () => {
    await using server = await startRedis({
      aclUsers: { config: 'on >c ~* +@all', variable: 'on >v ~* +@all', flag: 'on >f ~* +@all' },
    });
    await using proxy = await startTcpProxy(server);
    await using project = await makePackage({
      'mastra-lease.config.json': { backend: proxy.url, username: 'config', password: 'c' },
      'flag.txt': 'f\n',
    });
    const variables = { MASTRA_LEASE_USERNAME: 'variable', MASTRA_LEASE_PASSWORD: 'v' };
    const flags = ['--username', 'flag', '--password-file', 'flag.txt'];
    for (const result of [
      await runIn(project.path, OWNER),
      await runIn(project.path, OWNER, variables),
      await runIn(project.path, [...OWNER, ...flags], variables),
    ]) {
      expect(result.exitCode).toBe(4);
    }
    const logins = proxy.commands.filter(([name]) => name?.toLowerCase() === 'auth');
    expect(logins.map((words) => words.slice(1))).toEqual([
      ['config', 'c'],
      ['variable', 'v'],
      ['flag', 'f'],
    ]);
  });

  test('bound a command by the timeout of the config', async () => {
    await using server = await startRedis();
    await using project = await makePackage({
      'mastra-lease.config.json': { backend: server.url, timeout: '300ms' },
    });
    server.pause();
    const result = await runIn(project.path, OWNER);
    server.resume();
    expect(result).toMatchObject({ exitCode: 7, stdout: '' });
    expect(result.durationMs).toBeLessThan(5_000);
  });
});

describe('`inspect`', () => {
  /** A pubsub over Redis that hides how, as one that is compiled or bundled may. */
  const hiddenPubSub = (url: string): string => `
    import { createConnection } from 'node:net';
    const ask = (...words) => new Promise((resolve, reject) => {
      const socket = createConnection(${new URL(url).port}, '127.0.0.1');
      socket.on('error', reject).once('data', (reply) => { socket.destroy(); resolve(String(reply)); });
      socket.write(\`*\${words.length}\\r\\n\${words.map((word) => \`$\${Buffer.byteLength(word)}\\r\\n\${word}\\r\\n\`).join('')}\`);
    });
    export const pubsub = {
      async acquireLease() { throw new Error('not here'); },
      async getLeaseOwner(key) { return (await ask('GET', 'mine:lease:' + key)).match(/^\\$\\d+\\r\\n(.*)\\r\\n$/s)?.[1]; },
      async releaseLease() {}, async renewLease() { return false; }, async transferLease() { return false; },
    };`;

  test('names where a module’s leases are listed, with the prefix of its context', async () => {
    await site.client.set(recordOf('user-1\0abc', 'mine'), 'run-1', 'PX', 60_000);
    const app = { backend: './pubsub.mjs', inspect: site.name };
    await using project = await makePackage({
      'pubsub.mjs': hiddenPubSub(site.name),
      'mastra-lease.config.json': {
        contexts: {
          app: { ...app, keyPrefix: 'mine' },
          elsewhere: { ...app, keyPrefix: 'other' },
          blind: { backend: './pubsub.mjs' },
          wrong: { ...app, inspect: './pubsub.mjs' },
        },
      },
    });
    const run = (context: string, args: readonly string[]) =>
      runIn(project.path, [...args, '--context', context]);
    const [thread, list, elsewhere, blind, wrong] = await Promise.all([
      run('app', ['owner', 'thread:abc', '--json']),
      run('app', ['list']),
      run('elsewhere', ['list']),
      run('blind', ['list']),
      run('wrong', ['owner', 'k']),
    ]);
    expect(thread.json()).toMatchObject([
      { key: 'user-1\\0abc', owner: 'run-1', remainingMs: expect.any(Number), source: { context: 'app' } },
    ]);
    expect(list).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('run-1') });
    expect(elsewhere).toMatchObject({ exitCode: 9, stdout: '' });
    expect(elsewhere.stderr).toContain('nothing under other in');
    expect(blind).toMatchObject({ exitCode: 9, stdout: '' });
    expect(blind.stderr).toContain('name where they live by `inspect` in the config');
    expectRefusal(wrong, /mastra-lease\.config\.json: inspect: expected a redis:\/\/ URL or sqlite:PATH/);
  });
});

describe('a config that says what no config can say is refused: the file, and the field or the line', () => {
  test.each<[string, string | object, string | RegExp]>([
    ['.json', { bakend: 'local' }, ': bakend: unknown field, did you mean backend?'],
    [
      '.json',
      { contexts: { prod: { backend: 'local', readonly: true } } },
      ': contexts.prod.readonly: unknown field',
    ],
    ['.json', { backend: 'local', readOnly: 'yes' }, ': readOnly: expected true or false, got a string'],
    ['.json', { backend: 'local', timeout: 30 }, ': timeout: expected a duration'],
    [
      '.json',
      { backend: 'local', password: 7 },
      ': password: expected a string that is not empty, or a function',
    ],
    [
      '.json',
      { contexts: {}, defaultContext: 'prod' },
      ': defaultContext: expected the name of one of the contexts',
    ],
    ['.json', { backend: 'what' }, ': backend: Expected a backend as'],
    ['.json', { backend: './none.ts' }, /: backend: There is no module .*none\.ts/],
    ['.json', '{ "backend": "local",\n  }', ': line 2, column 3: not JSON'],
    ['.json', '', ': expected a config, got an empty file'],
    ['.ts', 'export default {\n  backend: ;\n};', /mastra-lease\.config\.ts:2:\d+: a syntax error/],
    [
      '.ts',
      "import './none.js';\nexport default {};",
      /mastra-lease\.config\.ts does not load: it imports "\.\/none\.js"/,
    ],
    ['.mjs', 'export const config = {};', ': expected a config as its default export, got only config'],
    ['.js', 'throw new Error("no vault")', 'does not load: no vault (at mastra-lease.config.js:1)'],
  ])('%s %j', async (extension, content, message) => {
    const name = `mastra-lease.config${extension}`;
    await using project = await makePackage({ [name]: content });
    const result = await runIn(project.path, OWNER);
    expectRefusal(result, message);
    expect(result.stderr).toContain(join(project.path, name));
  });
});
