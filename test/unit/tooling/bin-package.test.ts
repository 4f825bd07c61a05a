import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));

let packed: ReadonlySet<string>;

beforeAll(async () => {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
    cwd: REPOSITORY,
    maxBuffer: 64 * 1024 * 1024,
  });
  const [pack]: { files: { path: string }[] }[] = JSON.parse(stdout);
  packed = new Set(pack?.files.map(({ path }) => path));
});

/** The files of ours that a module loads, itself included. */
async function closureOf(entry: string, seen = new Set<string>()): Promise<Set<string>> {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  const { importedFiles } = ts.preProcessFile(await readFile(join(REPOSITORY, entry), 'utf8'), true, true);
  for (const { fileName } of importedFiles) {
    if (!fileName.startsWith('.')) continue;
    const path = join(dirname(join(REPOSITORY, entry)), fileName);
    const file = entry.endsWith('.d.ts') ? path.replace(/\.js$/, '.d.ts') : path;
    await closureOf(relative(REPOSITORY, file), seen);
  }
  return seen;
}

describe('the package', () => {
  it('holds whatever its entries load, types too', async () => {
    const { exports }: { exports: Record<string, string | { types: string; default: string }> } = JSON.parse(
      await readFile(join(REPOSITORY, 'package.json'), 'utf8'),
    );
    const entries = Object.values(exports).flatMap((entry) =>
      typeof entry === 'string' ? [] : Object.values(entry),
    );
    expect(entries.length).toBeGreaterThan(8);
    for (const entry of entries) {
      const missing = [...(await closureOf(relative('.', entry)))].filter((file) => !packed.has(file));
      expect(missing, entry).toEqual([]);
    }
  });

  it('holds the program, and what that starts as processes of its own', async () => {
    const program = [...packed].filter((file) => file.startsWith('dist/program/'));
    expect(program).toEqual(expect.arrayContaining(['dist/program/start.js', 'dist/program/LICENSES.txt']));
    const worker = [...(await closureOf('dist/cli/demo/worker.js'))];
    expect(worker.filter((file) => !packed.has(file))).toEqual([]);
  });

  it('holds no second copy of the command line tool', () => {
    const compiled = [...packed].filter((file) => /^dist\/(tui|output|cli\/(?!demo))/.test(file));
    expect(compiled).toEqual([]);
  });
});
