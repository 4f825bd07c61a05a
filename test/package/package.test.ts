import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { COMMAND_NAMES, type CommandName } from '../../src/cli/command-table.js';
import { type CliResult, runCli } from '../support/run-cli.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { install, type Packed, pack } from './packed.js';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 180_000 });

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = 'docs/package.md';
const ATTW = `${REPOSITORY}node_modules/@arethetypeswrong/cli/dist/index.js`;
const MANIFEST: Manifest = JSON.parse(readFileSync(`${REPOSITORY}package.json`, 'utf8'));

interface Manifest {
  readonly version: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

let folder: TempDir;
let user: TempDir;
let packed: Packed;
let installedPackages: number;

beforeAll(async () => {
  [folder, user] = await Promise.all([makeTempDir(), makeTempDir()]);
  packed = await pack(folder.path);
  installedPackages = await install(packed.tarball, user.path);
});
afterAll(() => Promise.all([folder.remove(), user.remove()]));

describe('the package', () => {
  test('is what publint expects of one', async () => {
    const { buffer } = new Uint8Array(await readFile(packed.tarball));
    const { messages } = await publint({ pack: { tarball: buffer }, strict: true });
    expect(messages).toEqual([]);
  });

  test('has types that resolve, whatever resolves them, as attw sees it', async () => {
    const command = [process.execPath, ATTW, packed.tarball] as const;
    const options = ['--profile', 'esm-only', '--no-color', '--format', 'ascii'];
    const { exitCode, stdout, stderr } = await runCli(options, { command, timeoutMs: 50_000 });
    expect(exitCode, `${stdout}${stderr}`).toBe(0);
    for (const entry of ['mastra-lease', 'redis', 'sqlite', 'memory', 'testing'])
      expect(stdout).toContain(entry);
  });

  test('has types for every entry', () => {
    const entries = Object.values(MANIFEST.exports).filter((entry) => typeof entry !== 'string');
    for (const { types, default: code } of entries) {
      expect(packed.files).toEqual(expect.arrayContaining([types.slice(2), code.slice(2)]));
      expect(types.replace(/\.d\.ts$/, '')).toBe(code.replace(/\.js$/, ''));
    }
    expect(entries.length).toBeGreaterThanOrEqual(5);
  });

  test('holds what runs, its types, its schema, its licences and its README, and nothing else', () => {
    const expected = [
      /^(package\.json|README\.md|LICENSE)$/,
      /^bin\/(mastra-lease\.js|package\.json)$/,
      /^dist\/program\/([\w.-]+\.(js|txt)|package\.json)$/,
      /^dist\/(?!program\/).*\.(d\.ts|js)$/,
      /^schema\/output\.schema\.json$/,
    ];
    expect(packed.files.filter((file) => !expected.some((form) => form.test(file)))).toEqual([]);
  });

  test('is as small as the page says', () => {
    const page = readFileSync(`${REPOSITORY}${PAGE}`, 'utf8');
    const measures = {
      packed: packed.bytes / 1_000,
      unpacked: packed.unpackedBytes / 1_000,
      packages: installedPackages,
    };
    for (const [name, value] of Object.entries(measures)) {
      const [, said, most] =
        new RegExp(`^\\| ${name}[, ][^|]*\\| (\\d+)[^|]*\\| (\\d+)`, 'm').exec(page) ?? [];
      expect(value, `${name}: the most that it may be`).toBeLessThanOrEqual(Number(most));
      expect(Math.abs(value - Number(said)), `${name}: ${value}, and ${PAGE} says ${said}`).toBeLessThan(
        Number(said) * 0.1,
      );
    }
  });

  test('has a version with an entry in the changelog', () => {
    const [, newest] = /^## (.+)$/m.exec(readFileSync(`${REPOSITORY}CHANGELOG.md`, 'utf8')) ?? [];
    expect(newest).toBe(MANIFEST.version);
  });
});

describe('installed in an empty folder', () => {
  const DEPLOY = ['deploy', '--owner', 'job-1'];
  /** Each command once, in this order, on one SQLite file: with what, and what it ends with. */
  const SMOKE: Readonly<
    Record<CommandName, readonly [args: readonly string[], exitCode: number, stdout: RegExp]>
  > = {
    acquire: [[...DEPLOY, '--ttl', '5m'], 0, /^job-1\n$/],
    owner: [['deploy'], 0, /^job-1\n$/],
    list: [[], 0, /^other\tdeploy\tjob-1\t/],
    inspect: [['deploy', '--json'], 0, /"verdict":"unknown"/],
    watch: [['--for', '200ms', '--json'], 0, /"type":"snapshot"/],
    renew: [[...DEPLOY, '--ttl', '5m'], 0, /^renewed\n$/],
    transfer: [['deploy', '--from', 'job-1', '--to', 'job-2'], 0, /^transferred\n$/],
    release: [['deploy', '--owner', 'job-2'], 0, /^released\n$/],
    wait: [['deploy', '--until', 'free', '--timeout', '0'], 0, /^met\n$/],
    exec: [['deploy', '--', process.execPath, '-p', '1 + 1'], 0, /^2\n$/],
    check: [['--json'], 0, /"class":"SqliteLeaseProvider"/],
    conformance: [['--level', 'structural'], 0, /conforms/],
    demo: [['--for', '3s', '--json'], 0, /"type":"acquired"/],
    completion: [['bash'], 0, /mastra-lease/],
  };

  function installed(args: readonly string[]): Promise<CliResult> {
    const command = [
      process.execPath,
      join(user.path, 'node_modules', 'mastra-lease', 'bin', 'mastra-lease.js'),
    ] as const;
    const env = { MASTRA_LEASE_BACKEND: 'sqlite:leases.db' };
    return runCli(args, { command, cwd: user.path, env, timeoutMs: 40_000 });
  }

  test('every command does its work', async () => {
    expect(Object.keys(SMOKE).sort()).toEqual([...COMMAND_NAMES].sort());
    for (const [name, [args, exitCode, stdout]] of Object.entries(SMOKE)) {
      const result = await installed([name, ...args]);
      expect({ name, ...result }).toMatchObject({ exitCode, stdout: expect.stringMatching(stdout) });
    }
  });

  test('it says its version and helps with every command', async () => {
    expect(await installed(['--version'])).toMatchObject({ exitCode: 0, stdout: `${MANIFEST.version}\n` });
    for (const name of COMMAND_NAMES) {
      const { exitCode, stdout } = await installed([name, '--help']);
      expect({ name, exitCode, stdout }).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining(name),
      });
    }
  });

  test('a module of the application is a backend there', async () => {
    const code = `export { MemoryLeaseProvider as Leases } from 'mastra-lease/memory';`;
    writeFileSync(join(user.path, 'leases.ts'), code);
    const { stdout, exitCode } = await installed(['check', '--backend', './leases.ts', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ provider: { class: 'MemoryLeaseProvider' } });
    expect(exitCode).toBe(9);
  });

  test('every entry can be imported', async () => {
    const entries = Object.keys(MANIFEST.exports).map((entry) => entry.replace('.', 'mastra-lease'));
    const code = entries.map(
      (entry) =>
        `console.log(Object.keys(await import('${entry}'${entry.endsWith('.json') ? ", { with: { type: 'json' } }" : ''})).length);`,
    );
    // CommonJS loads them too.
    code.push(
      `import { createRequire } from 'node:module'; createRequire(process.cwd() + '/x')('mastra-lease/redis');`,
    );
    const command = [process.execPath, '--input-type=module', '--eval', code.join('\n')] as const;
    const { stdout, exitCode } = await runCli([], { command, cwd: user.path });
    expect(exitCode).toBe(0);
    expect(
      stdout
        .trim()
        .split('\n')
        .map(Number)
        .filter((count) => count > 0),
    ).toHaveLength(entries.length);
  });
});
