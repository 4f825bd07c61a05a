import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { version } from 'node:process';

/** What it was measured on. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  readonly redis: string;
  readonly packages: Readonly<Record<string, string>>;
}

const PEERS = ['ioredis', 'redis', 'redlock', 'redlock-universal', 'proper-lockfile', '@mastra/core', 'ink'];

export function describeMachine(redisServer: string): Machine {
  const [first] = cpus();
  const [, redis = '?'] = / v=([\d.]+)/.exec(output(redisServer, ['--version'])) ?? [];
  return {
    cpu: first?.model.trim() ?? '?',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: output('uname', ['-srm']).trim(),
    node: version,
    redis,
    packages: Object.fromEntries(PEERS.map((name) => [name, installedVersion(name)])),
  };
}

/** How many processes wanted a core in the last minute. */
export function loadNow(): number {
  return loadavg()[0] ?? Number.NaN;
}

function output(program: string, args: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8' });
}

function installedVersion(name: string): string {
  const path = new URL(`../../node_modules/${name}/package.json`, import.meta.url);
  const { version: installed }: { version: string } = JSON.parse(readFileSync(path, 'utf8'));
  return installed;
}
