/**
 * What loading an application costs: by mastra-lease, against importing the same modules in plain Node, compiled before.
 * `npm run bench:load`, on a machine that does nothing else; `-- 51` for so many rounds. Rounds are interleaved, the
 * first ones only fill the caches, and medians are compared. Ends with 1 when a goal is missed.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));
const FIXTURES = join(REPOSITORY, 'test/fixtures');
const CHILD = fileURLToPath(new URL('./load-child.js', import.meta.url));
const WARM_UP_ROUNDS = 3;
const ROUNDS = Number(process.argv[2] ?? 21);

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

const folder = mkdtempSync(join(tmpdir(), 'mastra-lease-bench-'));
try {
  process.exitCode = CASES.map(measure).every(Boolean) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

/** Measures one case, prints it, and answers whether its goal is met. */
function measure({ name, entry, root, goal }: Case): boolean {
  const file = join(FIXTURES, entry);
  const spec = root
    ? { kind: 'mastra', entry: file, root: join(FIXTURES, root) }
    : { kind: 'module', path: file };
  const compiled = pathToFileURL(compile(entry)).href;
  const ways: readonly Way[] = [
    { args: ['ours', JSON.stringify(spec)], env: {}, times: [] },
    { args: ['plain', compiled], env: {}, times: [] },
    { args: ['plain', compiled], env: { NODE_COMPILE_CACHE: join(folder, 'compile-cache') }, times: [] },
  ];
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1) {
    for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
      const loadMs = load(way);
      if (round >= WARM_UP_ROUNDS) way.times.push(loadMs);
    }
  }
  const [ours = Number.NaN, plain = Number.NaN, cached = Number.NaN] = ways.map(({ times }) => median(times));
  const isMet = 'ratio' in goal ? ours <= plain * goal.ratio : ours <= plain + goal.moreMs;
  const compare = (other: number) =>
    `${other.toFixed(1)} ms (${(ours / other).toFixed(2)} ×, ${(ours - other).toFixed(1)} ms more)`;
  process.stdout.write(
    `${name}, medians of ${ROUNDS}\n` +
      `  mastra-lease                     ${ours.toFixed(1)} ms\n` +
      `  plain Node                       ${compare(plain)}\n` +
      `  plain Node with a compile cache  ${compare(cached)}\n` +
      `  goal: ${'ratio' in goal ? `${goal.ratio} ×` : `${goal.moreMs} ms more than`} plain Node: ${isMet ? 'met' : 'MISSED'}\n`,
  );
  return isMet;
}

/** One way of loading, and the milliseconds that it took each time. */
interface Way {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly times: number[];
}

/** Loads in a process of its own, and answers the milliseconds. */
function load({ args, env }: Way): number {
  const { stdout, stderr, status } = spawnSync(process.execPath, [CHILD, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder, BENCH_CACHE: folder, ...env },
  });
  const loadMs = Number(stdout);
  if (status === 0 && loadMs > 0) return loadMs;
  throw new Error(`Loading failed: ${args.join(' ')}\n${stdout}${stderr}`);
}

/** Compiles a module of the fixtures and those that it imports to what plain Node runs, and answers its path. */
function compile(path: string): string {
  const target = join(folder, path.replace(/\.ts$/, '.js'));
  if (existsSync(target)) return target;
  if (!existsSync(join(folder, 'node_modules'))) {
    symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  }
  const source = readFileSync(join(FIXTURES, path), 'utf8').replace(
    /(from ')(\.{1,2}\/[^']+?)(?:\.js)?(?=')/g,
    (_, from: string, specifier: string) => {
      compile(relativeToFixtures(path, specifier));
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

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
