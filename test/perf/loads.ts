import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startCli } from '../support/run-cli.js';
import { makeTempDir } from '../support/temp-dir.js';

const HOOK = fileURLToPath(new URL('./loads.cjs', import.meta.url));

/** What a run of the program loaded. */
interface Loads {
  readonly exitCode: number | null;
  /** Its own files, by what is in them. */
  readonly files: readonly string[];
  /** Packages of `node_modules`. */
  readonly packages: readonly string[];
  /** Modules of Node that were not there when the program began. */
  readonly builtins: readonly string[];
}

interface LoadsOptions extends NonNullable<Parameters<typeof startCli>[1]> {
  /** What it prints on stdout before it is interrupted; without it, it ends by itself. */
  readonly endsAfter?: RegExp;
}

/** Runs the program and answers what it loaded. */
export async function loadsOf(
  args: readonly string[],
  { env = {}, endsAfter, ...options }: LoadsOptions = {},
): Promise<Loads> {
  await using folder = await makeTempDir();
  const path = join(folder.path, 'loads.json');
  await using running = await startCli(args, {
    timeoutMs: 15_000,
    ...options,
    env: { ...env, NODE_OPTIONS: `--require ${HOOK}`, LOADS_FILE: path },
  });
  if (endsAfter) {
    await running.waitForOutput('stdout', endsAfter);
    running.child.kill('SIGINT');
  }
  const { exitCode } = await running.done;
  const { files, urls, builtins }: Record<'files' | 'urls' | 'builtins', string[]> = JSON.parse(
    await readFile(path, 'utf8'),
  );
  const packages = urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []);
  return {
    exitCode,
    files: files.map((file) => basename(file).replace(/(-[A-Z0-9]{8})?\.[0-9a-f]+\.js$/, '')),
    packages: [...new Set(packages)].sort(),
    builtins: builtins.flatMap((name) => /^NativeModule (?!internal)(.+)$/.exec(name)?.[1] ?? []),
  };
}
