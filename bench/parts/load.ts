import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { makeTempDir } from '../../test/support/temp-dir.js';
import { atMost, type Findings, type Goal, type Part, round } from '../harness/part.js';
import { child, REPOSITORY } from '../harness/processes.js';
import { interleave } from '../harness/sample.js';

const FIXTURES = join(REPOSITORY, 'test/fixtures');
const ROUNDS = 11;

export const loadPart: Part = {
  name: 'load',
  title: 'Loading an application',
  work: 'an application of TypeScript is loaded for its backend, in a process of its own, after the first time',
  peer: 'plain Node that imports the same modules, compiled before',
  limit: 'what the application itself takes',
  run,
};

/** An application, and what loading it may cost at most. */
interface Case {
  readonly name: string;
  /** Its module, from the folder of the fixtures. */
  readonly entry: string;
  /** The folder of a Mastra project; without one it is a module. */
  readonly root?: string;
  readonly goal: { readonly ratio: number } | { readonly moreMs: number };
}

const CASES: readonly Case[] = [
  {
    name: '@mastra/core project',
    entry: 'mastra-project/src/mastra/index.ts',
    root: 'mastra-project',
    goal: { ratio: 1.15 },
  },
  { name: 'small module', entry: 'class/leases.ts', goal: { moreMs: 60 } },
];

async function run(): Promise<Findings> {
  await using folder = await makeTempDir();
  const found = [];
  for (const one of CASES) found.push(await measure(one, folder.path));
  return {
    tables: [
      {
        title: `Medians of ${ROUNDS} interleaved rounds`,
        columns: ['Application', 'mastra-lease', 'plain Node', 'plain Node with a compile cache'],
        rows: found.map(({ row }) => row),
      },
    ],
    goals: found.map(({ goal }) => goal),
  };
}

/** Measures one case. */
async function measure(
  { name, entry, root, goal }: Case,
  folder: string,
): Promise<{ readonly row: readonly string[]; readonly goal: Goal }> {
  const file = join(FIXTURES, entry);
  const spec = root
    ? { kind: 'mastra', entry: file, root: join(FIXTURES, root) }
    : { kind: 'module', path: file };
  const compiled = pathToFileURL(compile(entry, folder)).href;
  const samples = await interleave(
    {
      ours: () => load({ args: ['ours', JSON.stringify(spec)], env: {} }, folder),
      plain: () => load({ args: ['plain', compiled], env: {} }, folder),
      cached: () =>
        load(
          { args: ['plain', compiled], env: { NODE_COMPILE_CACHE: join(folder, 'compile-cache') } },
          folder,
        ),
    },
    { rounds: ROUNDS },
  );
  const [ours, plain] = [samples('ours').median, samples('plain').median];
  return {
    row: [name, ...(['ours', 'plain', 'cached'] as const).map((way) => `${round(samples(way).median)} ms`)],
    goal:
      'ratio' in goal
        ? atMost(`${name}, to plain Node`, ours / plain, goal.ratio, ' ×')
        : atMost(`${name}, more than plain Node`, ours - plain, goal.moreMs, ' ms'),
  };
}

/** One way of loading. */
interface Way {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Loads in a process of its own, and answers the milliseconds. */
function load({ args, env }: Way, folder: string): number {
  const { stdout, stderr, status } = spawnSync(process.execPath, [child('load.js'), ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder, BENCH_CACHE: folder, ...env },
  });
  const loadMs = Number(stdout);
  if (status === 0 && loadMs > 0) return loadMs;
  throw new Error(`Loading failed: ${args.join(' ')}\n${stdout}${stderr}`);
}

/** Compiles a module of the fixtures and those that it imports to what plain Node runs, and answers its path. */
function compile(path: string, folder: string): string {
  const target = join(folder, path.replace(/\.ts$/, '.js'));
  if (existsSync(target)) return target;
  if (!existsSync(join(folder, 'node_modules'))) {
    symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  }
  const source = readFileSync(join(FIXTURES, path), 'utf8').replace(
    /(from ')(\.{1,2}\/[^']+?)(?:\.js)?(?=')/g,
    (_, from: string, specifier: string) => {
      compile(relativeToFixtures(path, specifier), folder);
      return `${from}${specifier}.js`;
    },
  );
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2024 },
  });
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, outputText);
  return target;
}

function relativeToFixtures(importer: string, specifier: string): string {
  return resolve('/', dirname(importer), `${specifier}.ts`).slice(1);
}
