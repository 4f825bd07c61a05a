import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startRedis } from '../../test/support/redis-server.js';
import { makeTempDir } from '../../test/support/temp-dir.js';
import { atLeast, atMost, type Findings, type Part, round } from '../harness/part.js';
import { BIN, child, REPOSITORY, runProcess } from '../harness/processes.js';
import { interleave, type Sample } from '../harness/sample.js';

const ROUNDS = 25;
const NPX_ROUNDS = 5;

export const startUpPart: Part = {
  name: 'startup',
  title: 'Start-up',
  work: '`mastra-lease owner k` on a local Redis, from the start of the process to its end',
  peer: 'scripts that send one GET: over a raw socket, by `redis`, and after loading `@mastra/core`',
  limit: 'the script with the raw socket: no Node program that asks a server can be faster',
  run,
};

async function run(): Promise<Findings> {
  await using redis = await startRedis();
  await using secure = await startRedis({ tls: true });
  await using folder = await makeTempDir();
  for (const server of [redis, secure]) {
    const client = await server.client();
    await client.set('mastra:topic:lease:k', 'run-1');
  }
  const record = 'mastra:topic:lease:k';
  const ca = join(secure.directory, 'ca.crt');
  const sqlite = `sqlite:${join(folder.path, 'leases.db')}`;
  const home = { HOME: join(folder.path, 'home') };
  mkdirSync(home.HOME);
  const node = (...args: readonly string[]) => runProcess([process.execPath, ...args]).ms;
  const ours = (args: readonly string[], env: NodeJS.ProcessEnv = home, exitCode = 0) =>
    runProcess([process.execPath, BIN, ...args], { env, exitCode }).ms;
  ours(['acquire', 'k', '--owner', 'run-1', '--ttl', '1h', '--backend', sqlite]);

  const tls = ['--tls-ca', ca, '--tls-servername', 'localhost'];
  const secureUrl = `rediss://127.0.0.1:${secure.port}`;
  const samples = await interleave(
    {
      empty: () => node('-e', '0'),
      raw: () => node(child('raw-get.cjs'), String(redis.port), record),
      ours: () => ours(['owner', 'k', '--backend', redis.url]),
      uncached: () => ours(['owner', 'k', '--backend', redis.url], {}),
      redis: () => node(child('redis-get.mjs'), redis.url, record),
      sqlite: () => ours(['owner', 'k', '--backend', sqlite]),
      help: () => ours(['--help']),
      usage: () => ours(['owner', 'k', '--nope'], home, 2),
      rawTls: () => node(child('raw-get.cjs'), String(secure.port), record, ca),
      oursTls: () => ours(['owner', 'k', '--backend', secureUrl, ...tls]),
      redisTls: () => node(child('redis-get.mjs'), secureUrl, record, ca),
    },
    { rounds: ROUNDS },
  );
  const npx = npxIn(folder.path, home);
  const slow = await interleave(
    {
      core: () => node(child('core-get.mjs'), String(redis.port), record),
      npx: () => npx('mastra-lease', 'owner', 'k', '--backend', redis.url),
      npxRaw: () => npx('raw-get', String(redis.port), record),
    },
    { rounds: NPX_ROUNDS, warmUps: 1 },
  );

  const { median: raw } = samples('raw');
  const row = (name: string, { median, spread }: Sample) => [
    name,
    `${round(median)} ms`,
    `${round(spread * 100)} %`,
    `${round(median / raw)} ×`,
  ];
  const ratio = (one: Sample, other: Sample) => one.median / other.median;
  return {
    tables: [
      {
        title: `Whole processes, medians of ${ROUNDS} interleaved rounds; spread: the middle half`,
        columns: ['Command', 'Median', 'Spread', 'To the raw socket'],
        rows: [
          row('`node -e 0`', samples('empty')),
          row('GET, raw socket', samples('raw')),
          row('`mastra-lease owner k`, Redis', samples('ours')),
          row('the same where nothing can be kept between runs (no HOME)', samples('uncached')),
          row('GET, package `redis`', samples('redis')),
          row('GET, raw socket, after `@mastra/core`', slow('core')),
          row('`mastra-lease owner k`, SQLite', samples('sqlite')),
          row('`mastra-lease --help`', samples('help')),
          row('a usage error (`owner k --nope`)', samples('usage')),
          row('GET, raw TLS socket', samples('rawTls')),
          row('`mastra-lease owner k`, Redis over TLS', samples('oursTls')),
          row('GET, package `redis`, over TLS', samples('redisTls')),
          row('`npx` with the raw script', slow('npxRaw')),
          row('`npx mastra-lease owner k`', slow('npx')),
        ],
      },
    ],
    goals: [
      atMost('`owner` to the raw socket', ratio(samples('ours'), samples('raw')), 1.5, ' ×'),
      atLeast('the script with `redis` to `owner`', ratio(samples('redis'), samples('ours')), 2.5, ' ×'),
      atMost('`--help` to `node -e 0`', ratio(samples('help'), samples('empty')), 1.4, ' ×'),
      atMost(
        'a usage error to `node -e 0`',
        ratio(samples('usage'), samples('empty')),
        1.4,
        ' ×',
        'the command has to be declared to the parser, and the parser loaded, before an option can be wrong',
      ),
      atMost('`owner` on SQLite to the raw socket', ratio(samples('sqlite'), samples('raw')), 1.6, ' ×'),
    ],
  };
}

/** Runs programs as `npx` does in a project where they are installed. */
function npxIn(folder: string, env: NodeJS.ProcessEnv) {
  const bins = join(folder, 'node_modules', '.bin');
  mkdirSync(bins, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  symlinkSync(BIN, join(bins, 'mastra-lease'));
  writeFileSync(join(bins, 'raw-get'), `#!/bin/sh\nexec ${process.execPath} ${child('raw-get.cjs')} "$@"\n`, {
    mode: 0o755,
  });
  const path = `${join(REPOSITORY, 'node_modules/.bin')}:${process.env.PATH}`;
  return (...args: readonly string[]) =>
    runProcess(['npx', '--no-install', ...args], { cwd: folder, env: { ...env, PATH: path } }).ms;
}
