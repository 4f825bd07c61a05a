import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { TsConfigResult } from 'get-tsconfig';

/** What the tsconfig.json over a file says that decides how it is loaded; extended ones are read too. */
export interface TsconfigFacts {
  /** The path of the nearest tsconfig.json; `undefined` where there is none. */
  readonly path: string | undefined;
  readonly hasLegacyDecorators: boolean;
  readonly jsx: { readonly runtime: 'automatic' | 'classic'; readonly importSource?: string };
}

/** Reads it for the file of that path. */
export function readTsconfig(file: string): TsconfigFacts {
  const found = nearest(file);
  const { experimentalDecorators, jsx, jsxImportSource } = found?.config.compilerOptions ?? {};
  return {
    path: found?.path,
    hasLegacyDecorators: experimentalDecorators === true,
    jsx: {
      runtime: jsx?.toLowerCase() === 'react' ? 'classic' : 'automatic',
      ...(jsxImportSource !== undefined && { importSource: jsxImportSource }),
    },
  };
}

/** Where the `paths` over `file` send `specifier`: nowhere when none matches it. */
export function readAlias(
  specifier: string,
  file: string,
): { path: string | undefined; targets: readonly string[] } {
  const found = nearest(file);
  const patterns = Object.keys(found?.config.compilerOptions?.paths ?? {});
  const isMatched = patterns.some((pattern) => matches(pattern, specifier));
  return {
    path: found?.path,
    targets: (found && isMatched && reader().createPathsMatcher(found)?.(specifier)) || [],
  };
}

function matches(pattern: string, specifier: string): boolean {
  const [before = '', after] = pattern.split('*', 2);
  return after === undefined
    ? pattern === specifier
    : specifier.startsWith(before) && specifier.endsWith(after);
}

/** One that cannot be read counts as none: what loads the module says what is wrong with it. */
function nearest(file: string): TsConfigResult | undefined {
  try {
    return reader().getTsconfig(dirname(file)) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Loaded when it is needed, which a compiled module in the cache never does, and at once: compilers do not wait. */
function reader(): typeof import('get-tsconfig') {
  return createRequire(import.meta.url)('get-tsconfig');
}
