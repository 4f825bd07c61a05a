import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What a process of its own loads. */
export interface LoadTask {
  /** The module. */
  readonly path: string;
  /** Only loads it; else its backend is chosen too, and asked for a lease. */
  readonly only?: 'load';
  /** `mastra` for the entry of a Mastra project. */
  readonly kind?: 'mastra';
  /** The folder of the project. */
  readonly root?: string;
  readonly exportName?: string;
  readonly envFile?: string;
  readonly cacheDir?: string;
  readonly deadlineMs?: number;
  /** Names of variables whose values are asked for. */
  readonly variables?: readonly string[];
}

/** What came of it. */
export interface LoadResult {
  /** How it failed. */
  readonly error?: {
    readonly code: unknown;
    readonly message: string;
    readonly remedy?: string;
    readonly stack: string;
  };
  /** The names of the exports. */
  readonly exports?: readonly string[];
  /** Those exports that JSON can tell. */
  readonly values?: Readonly<Record<string, unknown>>;
  readonly path?: readonly string[];
  readonly envFiles?: readonly string[];
  /** The name of the backend's class. */
  readonly className?: string;
  /** The backend's `label`, in fixtures that have one. */
  readonly label?: unknown;
  /** Of a provider: what it answered to `owner-1` claiming `key-1`, and who held it then. */
  readonly acquired?: unknown;
  readonly owner?: unknown;
  readonly variables?: Readonly<Record<string, string | null>>;
  /** The messages of rejections that nobody handled. */
  readonly rejections: readonly string[];
}

const CHILD = fileURLToPath(new URL('./load-child.ts', import.meta.url));
const FIXTURES = fileURLToPath(new URL('../../../fixtures/', import.meta.url));
/** Node 22.13 strips types only when asked, and warns about it. */
const STRIP_TYPES = process.features.typescript ? [] : ['--experimental-strip-types', '--no-warnings'];

/** The path of a fixture. */
export function fixture(path: string): string {
  return `${FIXTURES}${path}`;
}

/** Loads a module in a process of its own: what it does to the process must not reach the other tests. */
export async function load(
  task: LoadTask,
  env: Readonly<Record<string, string>> = {},
): Promise<LoadResult & { readonly stdout: string; readonly stderr: string }> {
  const child = fork(CHILD, [JSON.stringify(task)], {
    execArgv: STRIP_TYPES,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  }
  let result: LoadResult | undefined;
  child.on('message', (message) => {
    result = message as LoadResult;
  });
  const [code] = await once(child, 'close');
  if (result === undefined) throw new Error(`The child ended with ${code}\n${output.stdout}${output.stderr}`);
  return { ...result, ...output };
}
