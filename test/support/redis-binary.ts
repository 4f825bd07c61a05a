import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** What finding and installing the server program needs of the machine; injected, so that failing is testable. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isRoot: boolean;
  /** The path of a program in PATH, or `undefined`. */
  findProgram(name: string): string | undefined;
  isProgram(path: string): boolean;
  /** Installs Debian's package with this `apt-get`, starting no service. */
  install(aptGet: string): Promise<void>;
  /** One line for the person who started the tests. */
  say(line: string): void;
}

const PATH_VARIABLE = 'MASTRA_LEASE_TEST_REDIS_SERVER';

const HOW_TO_INSTALL =
  'The tests start real Redis servers and found neither redis-server nor valkey-server in PATH: install one ' +
  '(Debian, Ubuntu: sudo apt-get install redis-server; macOS: brew install redis; Fedora: sudo dnf install valkey) ' +
  `or set ${PATH_VARIABLE} to the program's path.`;

/**
 * The path of a `redis-server` or `valkey-server`. Where there is none, root with `apt-get` (a container, CI, a fresh
 * machine) gets Debian's package installed, with a line that says so.
 *
 * @throws Error whose message is one line that tells what to do.
 */
export async function findOrInstallRedisServer(machine: Machine = thisMachine()): Promise<string> {
  const configured = machine.env[PATH_VARIABLE];
  if (configured) {
    if (machine.isProgram(configured)) return configured;
    throw new Error(`Expected ${PATH_VARIABLE} to name a program that can be run, got "${configured}".`);
  }
  const found = findServer(machine);
  if (found) return found;
  const aptGet = machine.isRoot ? machine.findProgram('apt-get') : undefined;
  if (!aptGet) throw new Error(HOW_TO_INSTALL);
  machine.say('No redis-server or valkey-server in PATH: installing the package redis-server with apt-get.');
  await machine.install(aptGet);
  const installed = findServer(machine);
  if (!installed)
    throw new Error(`apt-get installed redis-server, and it is still not in PATH. ${HOW_TO_INSTALL}`);
  return installed;
}

function findServer(machine: Machine): string | undefined {
  return machine.findProgram('redis-server') ?? machine.findProgram('valkey-server');
}

function thisMachine(): Machine {
  return {
    env: process.env,
    isRoot: process.getuid?.() === 0,
    findProgram: (name) => findInPath(name, process.env.PATH ?? ''),
    isProgram,
    install: installWithAptGet,
    say: (line) => void process.stderr.write(`${line}\n`),
  };
}

/** The first program called `name` in a PATH. */
export function findInPath(name: string, path: string): string | undefined {
  const directories = path.split(delimiter).filter((directory) => directory !== '');
  return directories.map((directory) => join(directory, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Debian's switch for "start no service now": maintainer scripts ask this program, and 101 means no. */
const SERVICE_POLICY = '/usr/sbin/policy-rc.d';

async function installWithAptGet(aptGet: string): Promise<void> {
  const isPolicyOurs = !existsSync(SERVICE_POLICY);
  if (isPolicyOurs) writeFileSync(SERVICE_POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await runAptGet(aptGet, ['update']);
    await runAptGet(aptGet, ['install', '-y', '--no-install-recommends', 'redis-server']);
  } finally {
    if (isPolicyOurs) rmSync(SERVICE_POLICY, { force: true });
  }
}

async function runAptGet(aptGet: string, args: readonly string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  try {
    await promisify(execFile)(aptGet, ['-o', 'DPkg::Lock::Timeout=120', ...args], { env });
  } catch (error) {
    const lines = (error instanceof Error ? error.message : String(error)).trim().split('\n');
    throw new Error(`apt-get ${args[0]} failed (${lines.at(-1)}). ${HOW_TO_INSTALL}`);
  }
}
