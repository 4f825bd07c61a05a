import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { bundleStart } from '../../../scripts/bundle/program.js';
import { makeTempDir } from '../../support/temp-dir.js';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));

/** The package's own bin and start, with this text for the bundled program. Without one, as it is before a build. */
async function packageWith(program?: string) {
  const directory = await makeTempDir();
  await writeFile(join(directory.path, 'package.json'), '{ "type": "module" }');
  await cp(join(REPOSITORY, 'bin'), join(directory.path, 'bin'), { recursive: true });
  if (program === undefined) return directory;
  const folder = join(directory.path, 'dist', 'program');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }');
  await writeFile(join(folder, 'start.js'), await bundleStart(REPOSITORY, 'main.js'));
  await writeFile(
    join(folder, 'main.js'),
    `(function (exports, require, _, __, ___, importNow) {${program}\n})`,
  );
  return directory;
}

interface StartOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly stdout?: number | 'pipe';
  readonly args?: readonly string[];
}

function start(root: string, { env = {}, stdout = 'pipe', args = [] }: StartOptions = {}): ChildProcess {
  return spawn(process.execPath, [join(root, 'bin', 'mastra-lease.js'), ...args], {
    env,
    stdio: ['ignore', stdout, 'pipe'],
  });
}

async function finish(child: ChildProcess) {
  const [out, err, [code, signal]] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    once(child, 'close'),
  ]);
  return { out, err, code, signal };
}

async function run(main?: string, options?: StartOptions) {
  await using directory = await packageWith(main);
  return await finish(start(directory.path, options));
}

describe('the bin', () => {
  it('ends with the code that the command answered', async () => {
    for (const code of [0, 3, 143]) {
      expect(await run(`exports.runMain = async () => ${code};`)).toEqual({
        out: '',
        err: '',
        code,
        signal: null,
      });
    }
  });

  it('ends when the command is done, whatever was left open, and after all output is out', async () => {
    const { out, err, code } = await run(`
      setInterval(() => {}, 1_000);
      exports.runMain = async () => {
        process.stdout.write('x'.repeat(3_000_000));
        process.stderr.write('y'.repeat(1_000_000));
        return 4;
      }`);
    expect({ out: out.length, err: err.length, code }).toEqual({ out: 3_000_000, err: 1_000_000, code: 4 });
  });

  it.each([0, 3])('keeps the answer %d when its reader went away', async (code) => {
    await using directory = await packageWith(`
      exports.runMain = async () => {
        for (let n = 0; n < 50; n += 1) {
          process.stdout.write('x'.repeat(100_000));
          await new Promise(setImmediate);
        }
        return ${code};
      }`);
    const child = start(directory.path);
    child.stdout?.destroy();
    const [exitCode] = await once(child, 'exit');
    expect(exitCode).toBe(code);
  });

  it('does not end with 0 when its answer could not be stored, and keeps any other code', async () => {
    const full = await open('/dev/full', 'w');
    try {
      const main = (code: number) =>
        `exports.runMain = async () => { process.stdout.write('free'); return ${code}; }`;
      const lost = await run(main(0), { stdout: full.fd });
      expect(lost.code).toBe(1);
      expect(lost.err).toMatch(/^mastra-lease: the answer could not be written: .*ENOSPC.*\n$/);
      expect(await run(main(3), { stdout: full.fd })).toMatchObject({ code: 3 });
    } finally {
      await full.close();
    }
  });

  it.each([
    ['throws', `throw new Error('boom');`],
    ['never answers', 'return new Promise(() => {});'],
  ])('ends with 1 and says that it is a bug when the command %s', async (_, body) => {
    const { err, code } = await run(`exports.runMain = async () => { ${body} }`);
    expect(code).toBe(1);
    expect(err).toMatch(/^mastra-lease: a bug: /);
  });

  it('says how to build it, in one line, before it was built', async () => {
    const { out, err, code } = await run();
    expect({ out, code }).toEqual({ out: '', code: 2 });
    expect(err).toMatch(/^mastra-lease is not built: .*`npm run build`\n$/);
  });

  it('names a package that is missing, in one line', async () => {
    const { err, code } = await run(`require('a-package-that-is-missing'); exports.runMain = async () => 0;`);
    expect(code).toBe(2);
    expect(err).toMatch(
      /^mastra-lease: a package is missing, run `npm ci`: .*'a-package-that-is-missing'.*\n$/,
    );
  });
});

describe('the bin on a Node that is too old', () => {
  /** Runs the file as that version of Node would. */
  async function runOn(version: string) {
    const lines: string[] = [];
    const required: string[] = [];
    const script = await readFile(join(REPOSITORY, 'bin', 'mastra-lease.js'), 'utf8');
    const process = {
      versions: { node: version },
      stderr: { write: (line: string) => lines.push(line) },
      exitCode: 0,
    };
    const require = (name: string) => {
      required.push(name);
      return { run: () => {} };
    };
    const context = createContext({ process, require });
    runInContext(script.replace(/^#!.*/, ''), context);
    return { err: lines.join(''), code: process.exitCode, required };
  }

  it.each(['0.12.18', '8.17.0', '18.20.8', '20.20.2', '22.0.0', '22.12.0'])(
    'says in one line, on %s, which one it needs, and loads nothing',
    async (version) => {
      const { err, code, required } = await runOn(version);
      expect({ code, required }).toEqual({ code: 2, required: [] });
      expect(err).toMatch(/^mastra-lease needs Node\.js 22\.13 or newer; this is .*\n$/);
      expect(err).toContain(`this is ${version}.`);
    },
  );

  it.each(['22.13.0', '22.20.1', '23.0.0', '24.21.0', '100.0.0'])('goes on on %s', async (version) => {
    expect(await runOn(version)).toEqual({ err: '', code: 0, required: ['../dist/program/start.js'] });
  });

  it('is read by any Node: no syntax that is younger than 2009', async () => {
    const script = await readFile(join(REPOSITORY, 'bin', 'mastra-lease.js'), 'utf8');
    const source = ts.createSourceFile('bin.js', script, ts.ScriptTarget.ES2024, true, ts.ScriptKind.JS);
    const kinds = new Set<string>();
    const visit = (node: ts.Node): void => {
      kinds.add(ts.SyntaxKind[node.kind]);
      ts.forEachChild(node, visit);
    };
    visit(source);
    expect(
      [...kinds].filter((kind) =>
        /Arrow|Template|Import|Export|Await|Class|Spread|Binding|Question/.test(kind),
      ),
    ).toEqual([]);
    expect(script).not.toMatch(/\b(let|const)\b|,\s*\)|\*\*/);
  });
});

describe('the compile cache of the bin', () => {
  const main = `const { getCompileCacheDir } = require('node:module');
    exports.runMain = async () => {
      await importNow('data:text/javascript,0');
      process.stdout.write(String(getCompileCacheDir()));
      return 0;
    }`;

  it('is filled in the user’s own folder', async () => {
    await using home = await makeTempDir();
    const folder = join(home.path, '.cache', 'mastra-lease', 'compile-cache');
    const { out } = await run(main, { env: { HOME: home.path } });
    expect(out.startsWith(folder)).toBe(true);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(await readdir(folder)).not.toEqual([]);
  });

  it('is none without a home, and never the one that all users share', async () => {
    await using temporary = await makeTempDir();
    const { out, err } = await run(main, { env: { TMPDIR: temporary.path } });
    expect({ out, err }).toEqual({ out: 'undefined', err: '' });
    expect(await readdir(temporary.path)).toEqual([]);
  });

  it('is the one that the user chose, or none where the user wants none', async () => {
    await using home = await makeTempDir();
    await using chosen = await makeTempDir();
    const own = await run(main, { env: { HOME: home.path, NODE_COMPILE_CACHE: chosen.path } });
    expect(own.out.startsWith(chosen.path)).toBe(true);
    expect((await run(main, { env: { HOME: home.path, NODE_DISABLE_COMPILE_CACHE: '1' } })).out).toBe(
      'undefined',
    );
    expect(await readdir(home.path)).toEqual([]);
  });

  it('keeps what each command has run, and goes by it from then on', async () => {
    await using home = await makeTempDir();
    await using directory = await packageWith(answering(0));
    const kept = () => readdir(join(home.path, '.cache', 'mastra-lease', 'compile-cache', 'program'));
    const command = (...args: readonly string[]) =>
      finish(start(directory.path, { env: { HOME: home.path }, args }));
    await command('owner', 'k');
    await command('owner', '--help');
    await command();
    await command('../../owner');
    expect(await kept()).toEqual(['main.js.none', 'main.js.owner', 'main.js.owner-help']);
    const { ino } = await stat(join(home.path, '.cache/mastra-lease/compile-cache/program/main.js.owner'));
    expect(await command('owner', 'k')).toMatchObject({ out: 'answer', code: 0 });
    const again = await stat(join(home.path, '.cache/mastra-lease/compile-cache/program/main.js.owner'));
    expect(again.ino).toBe(ino);
  });

  it('keeps nothing of a run that had no answer', async () => {
    await using home = await makeTempDir();
    await run(answering(7), { env: { HOME: home.path }, args: ['owner'] });
    expect(existsSync(join(home.path, '.cache/mastra-lease/compile-cache/program'))).toBe(false);
  });

  it('does without what was cut short, is of another V8 or cannot be written', async () => {
    await using home = await makeTempDir();
    await using directory = await packageWith(answering(0));
    const folder = join(home.path, '.cache/mastra-lease/compile-cache/program');
    const owner = () => finish(start(directory.path, { env: { HOME: home.path }, args: ['owner'] }));
    await owner();
    const path = join(folder, 'main.js.owner');
    const whole = await readFile(path);
    for (const bad of [whole.subarray(0, 100), Buffer.alloc(0), Buffer.alloc(whole.length)]) {
      await writeFile(path, bad);
      expect(await owner()).toMatchObject({ out: 'answer', err: '', code: 0 });
      expect((await stat(path)).size).toBeGreaterThan(100);
    }
    await rm(folder, { recursive: true });
    await writeFile(folder, 'a file is in the way');
    expect(await owner()).toMatchObject({ out: 'answer', err: '', code: 0 });
  });
});

/** A program that prints an answer. */
function answering(code: number): string {
  return `exports.runMain = async () => { process.stdout.write('answer'); return ${code}; }`;
}
