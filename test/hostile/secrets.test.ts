import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makePackage } from '../cli/application-folder.js';
import { lease, startLease } from '../cli/lease-cli.js';
import { recordOf } from '../cli/lease-site.js';
import { findFreePort } from '../support/free-port.js';
import { limitTo } from '../support/limit.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import type { CliResult } from '../support/run-cli.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { waitFor } from '../support/wait-for.js';

/** With what has to be encoded in a URL, and what a shell or a pattern would take for its own. */
const SECRET = 'S3cret/#@:?%+$ &"\\';
/** Every form in which it could get out. */
const FORMS = [
  SECRET,
  encodeURIComponent(SECRET),
  JSON.stringify(SECRET).slice(1, -1),
  Buffer.from(SECRET).toString('base64'),
  'S3cret',
];

/** Whether any form of the secret is in a text. */
function expectNoSecret(text: string, what: string): void {
  expect({ what, found: FORMS.filter((form) => text.includes(form)), text }).toEqual({
    what,
    found: [],
    text,
  });
}

/** What a command is told of the backend: by arguments, variables and files. */
interface Told {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

let directory: TempDir;
let project: TempDir;
let files = 0;

/** A file of its own that holds this. */
async function fileOf(text: string, extension = 'txt'): Promise<string> {
  const path = join(directory.path, `file-${files++}.${extension}`);
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

/** Where a server is: the URL without the secret. */
interface Place {
  readonly scheme: string;
  readonly host: string;
  readonly path?: string;
  readonly user?: string;
}

const withSecret = ({ scheme, host, path = '', user = '' }: Place) =>
  `${scheme}://${user}:${encodeURIComponent(SECRET)}@${host}${path}`;
const without = ({ scheme, host, path = '' }: Place) => `${scheme}://${host}${path}`;

/** Every way in which a password gets to the program. */
const WAYS: Readonly<Record<string, (place: Place) => Promise<Told> | Told>> = {
  'the URL of --backend': (place) => ({ args: ['--backend', withSecret(place)] }),
  'the URL of MASTRA_LEASE_BACKEND': (place) => ({ env: { MASTRA_LEASE_BACKEND: withSecret(place) } }),
  'the URL of REDIS_URL': (place) => ({ env: { REDIS_URL: withSecret(place) } }),
  MASTRA_LEASE_PASSWORD: (place) => ({
    args: ['--backend', without(place), ...(place.user ? ['--username', place.user] : [])],
    env: { MASTRA_LEASE_PASSWORD: SECRET },
  }),
  'a password file': async (place) => ({
    args: ['--backend', without(place), '--password-file', await fileOf(`${SECRET}\n`)],
    env: place.user ? { MASTRA_LEASE_USERNAME: place.user } : {},
  }),
  'the URL in a config': async (place) => ({
    args: ['--config', await fileOf(JSON.stringify({ backend: withSecret(place) }), 'json')],
  }),
  'the password of a context': async (place) => {
    const context = { backend: without(place), username: place.user || 'default', password: SECRET };
    const config = JSON.stringify({ contexts: { prod: context } });
    return { args: ['--config', await fileOf(config, 'json'), '--context', 'prod'] };
  },
  'the URL that a module has': (place) => ({
    args: ['--backend', join(project.path, 'leases.ts')],
    env: { LEASES_URL: withSecret(place) },
  }),
};

/** Each in turn, with everything that makes a command talkative. */
const COMMANDS: readonly (readonly string[])[] = [
  ['owner', 'deploy', '--verbose'],
  ['acquire', 'deploy', '--json'],
  ['list', '--verbose', '--json'],
  ['watch', '--for', '300ms', '--json'],
  ['inspect', 'deploy', '--verbose'],
  ['check', '--verbose'],
  ['release', 'deploy', '--force', '--yes', '--verbose'],
  ['wait', 'deploy', '--until', 'free'],
  ['conformance', '--level', 'structural'],
  ['transfer', 'deploy', '--from', 'run-1', '--to', 'run-2', '--verbose'],
  ['exec', 'deploy', '--verbose', '--', 'true'],
];

const programs = limitTo(4);

function run([verb = '', ...words]: readonly string[], { args = [], env = {} }: Told): Promise<CliResult> {
  const at = words.includes('--') ? words.indexOf('--') : words.length;
  const timeout = words.includes('--for') ? [] : ['--timeout', '400ms'];
  return programs(() =>
    lease([verb, ...words.slice(0, at), ...timeout, ...args, ...words.slice(at)], { env, timeoutMs: 40_000 }),
  );
}

let server: RedisServer;
let secure: RedisServer;
let silent: TcpProxy;
let web: Server;
let places: Readonly<Record<string, Place>>;

beforeAll(async () => {
  directory = await makeTempDir();
  project = await makePackage({
    'leases.ts': `
      import { RedisLeaseProvider } from 'mastra-lease/redis';
      export const leases = new RedisLeaseProvider({ url: process.env.LEASES_URL ?? '', timeoutMs: 400 });
    `,
  });
  server = await startRedis({ password: 'another one', aclUsers: { nobody: 'on nopass ~* -@all' } });
  secure = await startRedis({ tls: true });
  silent = await startTcpProxy(server);
  silent.pause();
  web = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  });
  const webPort = await findFreePort();
  await new Promise<void>((resolve) => web.listen(webPort, '127.0.0.1', resolve));
  const at = (port: number) => `127.0.0.1:${port}`;
  places = {
    'nothing listens': { scheme: 'redis', host: at(await findFreePort()) },
    'the host is unknown': { scheme: 'redis', host: 'no-such-host.invalid' },
    'nothing is answered': { scheme: 'redis', host: at(silent.port) },
    'the password is wrong': { scheme: 'redis', host: at(server.port) },
    'the user is unknown': { scheme: 'redis', host: at(server.port), user: 'who' },
    'the user may do nothing': { scheme: 'redis', host: at(server.port), user: 'nobody' },
    'there is no such database': { scheme: 'redis', host: at(server.port), path: '/99', user: 'nobody' },
    'it is no Redis': { scheme: 'redis', host: at(webPort) },
    'it speaks no TLS': { scheme: 'rediss', host: at(server.port) },
    'its certificate is not trusted': { scheme: 'rediss', host: at(secure.port) },
    'no Sentinel answers': { scheme: 'redis+sentinel', host: at(silent.port), path: '/mymaster' },
    'no node of the cluster answers': { scheme: 'redis+cluster', host: at(silent.port) },
  };
}, 60_000);

afterAll(async () => {
  web.close();
  await silent.stop();
  for (const one of [server, secure]) await one.stop();
  await directory.remove();
  await project.remove();
});

describe.concurrent('a password is in nothing that is printed, when it comes from', () => {
  test.for(Object.entries(WAYS).map(([name, way], index) => ({ name, way, index })))(
    '$name',
    { timeout: 120_000 },
    async ({ way, index }, { expect }) => {
      await Promise.all(
        Object.entries(places).map(async ([fault, place], turn) => {
          const words = COMMANDS[(index + turn) % COMMANDS.length] ?? [];
          const result = await run(words, await way(place));
          const what = `${words.join(' ')}, ${fault} (${result.exitCode})`;
          expectNoSecret(result.stdout + result.stderr, what);
          expect({
            what,
            failed: result.exitCode !== 0 || words[0] === 'watch' || words[0] === 'check',
          }).toEqual({ what, failed: true });
          expect({ what, isBug: result.exitCode === 1, ...result }).toMatchObject({ what, isBug: false });
        }),
      );
    },
  );
});

describe.concurrent('a password is not quoted back from', () => {
  const url = `redis://:${SECRET}@`;
  const MISTAKES: Readonly<Record<string, () => Promise<Told> | Told>> = {
    'a URL that is not encoded': () => ({ args: ['--backend', `${url}127.0.0.1:1/0`] }),
    'a URL without a host': () => ({ args: ['--backend', `redis://:${encodeURIComponent(SECRET)}@`] }),
    'a URL with a bad port': () => ({ env: { MASTRA_LEASE_BACKEND: `redis://:S3cret@127.0.0.1:port` } }),
    'a scheme of something else': () => ({ args: ['--backend', `https://user:S3cret@127.0.0.1`] }),
    'a scheme that is misspelt': () => ({ env: { MASTRA_LEASE_BACKEND: `redi://user:S3cret@127.0.0.1` } }),
    'a URL without its scheme': () => ({ args: ['--backend', `user:S3cret@127.0.0.1:6379`] }),
    'a Sentinel URL without its primary': () => ({
      args: ['--backend', `redis+sentinel://:S3cret@127.0.0.1`],
    }),
    'an option that is misspelt': () => ({ args: [`--passwort=${SECRET}`] }),
    'an argument too many': () => ({ args: ['--', `redis://:S3cret@127.0.0.1`, '\\q'] }),
    'a config that is no JSON': async () => ({
      args: ['--config', await fileOf(`{ "password": "${SECRET}", `, 'json')],
    }),
    'a config with a field of another type': async () => ({
      args: ['--config', await fileOf(JSON.stringify({ backend: 'local', password: [SECRET] }), 'json')],
    }),
    'a config with an unknown field': async () => ({
      args: ['--config', await fileOf(JSON.stringify({ backend: 'local', passwort: SECRET }), 'json')],
    }),
    'a config whose code throws': async () => ({
      args: [
        '--config',
        await fileOf(`throw new Error(${JSON.stringify(`cannot reach redis://u:S3cret@h`)})`, 'mjs'),
      ],
    }),
    'a module that throws': async () => ({
      args: ['--backend', await fileOf(`throw new Error('cannot reach redis://u:S3cret@h')`, 'mjs')],
    }),
    'a password function that throws': async () => ({
      args: [
        '--config',
        await fileOf(
          `export default { backend: 'redis://127.0.0.1:1', password: () => { throw new Error('redis://u:S3cret@h') } }`,
          'mjs',
        ),
      ],
    }),
  };

  test.for(Object.entries(MISTAKES))('%s', async ([, mistake]) => {
    const told = await mistake();
    for (const words of [
      ['owner', 'deploy', '--verbose'],
      ['acquire', 'deploy', '--json'],
    ]) {
      const result = await run(words, told);
      expectNoSecret(result.stdout + result.stderr, words.join(' '));
      expect(result.exitCode).toBeGreaterThan(1);
    }
  });
});

describe('a password is not kept', () => {
  let open: RedisServer;
  let told: Told;

  beforeAll(async () => {
    open = await startRedis({ password: SECRET });
    told = { env: { MASTRA_LEASE_BACKEND: withSecret({ scheme: 'redis', host: `127.0.0.1:${open.port}` }) } };
  });
  afterAll(() => open.stop());

  test('in a recording, nor in an audit file', async () => {
    const [recording, audit] = [join(directory.path, 'recording'), join(directory.path, 'audit')];
    await (await open.client()).set(recordOf('deploy'), 'run-1', 'PX', 60_000);
    const watched = await run(['watch', '--for', '500ms', '--record', recording], told);
    const written = await run(['renew', 'deploy', '--owner', 'run-1', '--audit-file', audit], told);
    expect([watched.exitCode, written.exitCode]).toEqual([0, 0]);
    for (const file of [recording, audit]) {
      const text = await readFile(file, 'utf8');
      expect(text).toContain(`127.0.0.1:${open.port}`);
      expectNoSecret(text, file);
    }
  });

  test.skipIf(process.platform !== 'linux')(
    'in the title of the process, where it is not an argument',
    async () => {
      for (const way of ['MASTRA_LEASE_PASSWORD', 'a password file', 'the password of a context'] as const) {
        const { args = [], env = {} } =
          (await WAYS[way]?.({ scheme: 'redis', host: `127.0.0.1:${open.port}` })) ?? {};
        await using running = await startLease(['watch', '--json', ...args], { env });
        await running.waitForOutput('stdout', /backend-up/);
        for (const name of ['cmdline', 'comm']) {
          expectNoSecret(await readFile(`/proc/${running.child.pid}/${name}`, 'utf8'), name);
        }
        running.child.kill('SIGTERM');
        await waitFor(() => running.child.exitCode !== null);
      }
    },
  );
});
