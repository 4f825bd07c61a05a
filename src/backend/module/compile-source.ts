import { Script } from 'node:vm';
import type { createJiti, TransformOptions, TransformResult } from 'jiti';
import { escapeText } from '../../lease/text.js';
import { type SourceFindings, sourcePlugin } from './source-plugin.js';
import { readTsconfig, type TsconfigFacts } from './tsconfig.js';
import { UnloadableSource } from './unloadable-source.js';

/** Turns a source into what jiti runs. */
export type CompileSource = (options: TransformOptions) => TransformResult;

/** What jiti's compiler answers for a source that it cannot compile. */
const FAILURE = 'exports.__JITI_ERROR__ = ';

const WAY_OUT = 'name a module that does not import it, or the JavaScript that your own build makes of it';

/** jiti's compiler, with what it leaves out: plain failures, decorators that it would get wrong, JSX where it belongs. */
export function createCompiler(create: typeof createJiti): CompileSource {
  const compiler = create(import.meta.url, { fsCache: false, debug: false });
  return (options) => {
    const { filename = '', async = false } = options;
    const findings: SourceFindings = {};
    const code = compiler.transform({
      ...options,
      // For all files it would break the casts of TypeScript: `<T>value`.
      jsx: /x$/.test(filename) && readTsconfig(filename).jsx,
      babel: { ...options.babel, plugins: [sourcePlugin(filename, findings)] },
    });
    if (code.startsWith(FAILURE)) throw notCompiled(filename, JSON.parse(code.slice(FAILURE.length)));
    if (findings.decoratorLine !== undefined) refuseDecorators(filename, findings, readTsconfig(filename));
    assertRuns(code, filename, async);
    return { code };
  };
}

function refuseDecorators(
  file: string,
  { decoratorLine, unfit }: SourceFindings,
  { path, hasLegacyDecorators }: TsconfigFacts,
): void {
  if (!hasLegacyDecorators) {
    const why = path === undefined ? 'no tsconfig.json over it sets' : `${escapeText(path)} does not set`;
    throw new UnloadableSource(
      `${place(file, decoratorLine)}: standard decorators cannot be loaded here (${why} experimentalDecorators)`,
      WAY_OUT,
    );
  }
  if (unfit) {
    throw new UnloadableSource(
      `${place(file, unfit.line)}: decorators of ${unfit.decorates} cannot be loaded here`,
      WAY_OUT,
    );
  }
}

function notCompiled(file: string, failure: unknown): UnloadableSource {
  const { line, column, message } = readFailure(failure);
  return new UnloadableSource(
    `${place(file, line, column === undefined ? undefined : column + 1)}: a syntax error: ${escapeText(message)}`,
  );
}

function readFailure(failure: unknown): { line?: number; column?: number; message: string } {
  const { line, column, message }: Record<string, unknown> = { ...(typeof failure === 'object' && failure) };
  const [text = ''] = typeof message === 'string' ? message.trim().split('\n') : [];
  return {
    ...(typeof line === 'number' && line > 0 && typeof column === 'number' && { line, column }),
    message: text.trim().replace(/\.$/, '') || 'it cannot be compiled',
  };
}

/**
 * What V8 would not take, jiti would import once more by a file in a folder that all users share: it never gets there.
 */
function assertRuns(code: string, file: string, async: boolean): void {
  try {
    new Script(
      `(${async ? 'async ' : ''}function (exports, require, module, __filename, __dirname, jitiImport, jitiESMResolve) {${code}\n})`,
    );
  } catch (error) {
    const message = error instanceof Error ? error.message : 'it cannot be compiled';
    throw new UnloadableSource(`${escapeText(file)}: a syntax error: ${escapeText(message)}`);
  }
}

function place(file: string, line?: number, column?: number): string {
  return [escapeText(file), line, column].filter((part) => part !== undefined).join(':');
}
