import { readFileSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import { createJiti, type Jiti, type JitiOptions, type TransformOptions } from 'jiti';
import { escapeText } from '../../lease/text.js';
import { type CompileSource, createCompiler } from './compile-source.js';
import { findAbove } from './package-root.js';
import { UnloadableSource } from './unloadable-source.js';

/** What compiling depends on. */
export interface CompileSettings {
  /** The folder for what was compiled; none where it is `false`. */
  readonly cache: string | false;
  /** Imports JavaScript as Node does; `undefined` for what has to be compiled. */
  readonly importNatively: (file: string) => Promise<{ namespace: unknown } | undefined>;
}

/** What is compiled where it has to be, in the order in which an import without an extension is tried: jiti's, and JSX. */
const EXTENSIONS = ['.js', '.mjs', '.cjs', '.ts', '.tsx', '.mts', '.cts', '.jsx'] as const;

/** Imports a module by jiti, which compiles what Node cannot run as it is: that module and what it imports. */
export async function importCompiled(
  file: string,
  { cache, importNatively }: CompileSettings,
): Promise<unknown> {
  const toCompile = new Set([file]);
  const compile = guard(createCompiler(createJiti), toCompile);
  // Each setting that a JITI_… variable could change to something unsafe, or that prints, is given.
  const jiti = open(file, {
    fsCache: cache,
    rebuildFsCache: false,
    moduleCache: true,
    interopDefault: true,
    tsconfigPaths: true,
    extensions: [...EXTENSIONS],
    sourceMaps: false,
    debug: false,
    tryNative: false,
    esmEvalTempFile: false,
    transform: compile,
  });
  for (;;) {
    try {
      return await jiti.import(file);
    } catch (error) {
      if (!(error instanceof FailedNatively)) throw error;
      // Rejects as it did before, without running again, unless it has to be compiled.
      await importNatively(error.file);
      toCompile.add(error.file);
    }
  }
}

function open(file: string, options: JitiOptions): Jiti {
  try {
    return createJiti(file, options);
  } catch (error) {
    const tsconfig = findAbove('tsconfig.json', dirname(file));
    if (tsconfig === undefined || !(error instanceof Error)) throw error;
    const [reason = ''] = error.message.split('\n');
    throw new UnloadableSource(`${escapeText(tsconfig)} cannot be used: ${escapeText(reason)}`);
  }
}

/** JavaScript failed when Node imported it, and jiti, whatever the reason was, is about to compile it and run it again. */
class FailedNatively extends Error {
  readonly file: string;

  constructor(file: string) {
    super(`${file} does not load`);
    this.file = file;
  }
}

function guard(compile: CompileSource, toCompile: ReadonlySet<string>): CompileSource {
  return (options) => {
    const { filename = '', async } = options;
    if (async && /\.[cm]?js$/.test(filename) && !toCompile.has(filename) && !isCompiledAnyway(options)) {
      throw new FailedNatively(filename);
    }
    return compile(options);
  };
}

/** ESM in a `.js` that no package.json calls a module: jiti compiles it at once. */
function isCompiledAnyway({ filename = '', source }: TransformOptions): boolean {
  if (extname(filename) !== '.js' || !/^\s*(import|export)\b/m.test(source)) return false;
  const manifest = findAbove('package.json', dirname(filename));
  return manifest === undefined || !/"type"\s*:\s*"module"/.test(readFileSync(manifest, 'utf8'));
}
