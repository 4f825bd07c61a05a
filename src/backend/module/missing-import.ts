import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { escapeText } from '../../lease/text.js';
import { firstOwnFrame } from './own-frame.js';
import { oneLine, shorten } from './thrown.js';
import { readAlias } from './tsconfig.js';

/** What is known about a load that failed. */
export interface LoadContext {
  /** The module that was asked for. */
  readonly file: string;
  /** The folder from which files are named. */
  readonly root: string;
  /** Which module imported `file` first, where that is known. */
  readonly importerOf: (file: string) => string | undefined;
}

/** An import that found nothing. */
export interface Missing {
  readonly specifier: string;
  readonly importer: string | undefined;
  /** The package.json whose `main` leads nowhere. */
  readonly manifest?: string;
  /** What the package says about it, where it is the package that refuses. */
  readonly refusal?: string;
}

/** Why a module did not load. */
export interface Reason {
  readonly reason: string;
  readonly remedy?: string | undefined;
}

/** Whether an import found nothing, by Node's words or by jiti's. */
export function readMissing(error: unknown): Missing | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const stack = 'requireStack' in error && Array.isArray(error.requireStack) ? error.requireStack : [];
  const said = /imported from (.+?)(?: with |$)/m.exec(error.message)?.[1];
  const importer: unknown = said ?? stack[0] ?? firstOwnFrame(error)?.file;
  const found = { importer: typeof importer === 'string' ? importer : undefined };
  const [firstLine = ''] = error.message.split('\n');
  switch (error.code) {
    case 'MODULE_NOT_FOUND':
    case 'ERR_MODULE_NOT_FOUND':
    case 'ERR_UNSUPPORTED_DIR_IMPORT': {
      if ('requestPath' in error && typeof error.requestPath === 'string' && 'path' in error) {
        return { ...found, specifier: error.requestPath, manifest: String(error.path) };
      }
      const specifier = /'([^']+)'/.exec(firstLine)?.[1];
      return specifier === undefined ? undefined : { ...found, specifier };
    }
    case 'ERR_PACKAGE_PATH_NOT_EXPORTED':
    case 'ERR_PACKAGE_IMPORT_NOT_DEFINED':
      return { ...found, specifier: '', refusal: firstLine.replace(/ imported from .*/, '') };
    default:
      return undefined;
  }
}

export function describeMissing(missing: Missing, { file, root, importerOf }: LoadContext): Reason {
  const { importer } = missing;
  const chain = importer === undefined ? [] : chainTo(importer, importerOf);
  const way = chain.length < 2 ? '' : ` (by way of ${chain.map((each) => shorten(each, root)).join(' → ')})`;
  const subject = importer === undefined || importer === file ? 'it' : shorten(importer, root);
  if (missing.refusal !== undefined)
    return { reason: `${subject} imports what a package does not offer: ${oneLine(missing.refusal)}${way}` };
  const imports = `${subject} imports "${escapeText(asWritten(missing))}"`;
  if (missing.manifest !== undefined)
    return { reason: `${imports}${way}, and ${describeMain(missing.manifest)}` };
  const { note, remedy } = explain(missing);
  return { reason: `${imports}, which is not there${way}${note}`, remedy };
}

/** The modules from the one that was asked for to `file`, as far as they are known. */
function chainTo(file: string, importerOf: LoadContext['importerOf']): readonly string[] {
  const chain: string[] = [];
  for (let at: string | undefined = file; at !== undefined && !chain.includes(at); at = importerOf(at))
    chain.unshift(at);
  return chain;
}

/** The loader asks for `./x` where `./x.js` was written. */
function asWritten({ specifier, importer }: Missing): string {
  const written = `${specifier}.js`;
  try {
    const source = importer === undefined ? '' : readFileSync(importer, 'utf8');
    return [`'${written}'`, `"${written}"`].some((quoted) => source.includes(quoted)) ? written : specifier;
  } catch {
    return specifier;
  }
}

function explain({ specifier, importer }: Missing): { note: string; remedy?: string } {
  if (importer === undefined || /^([./\\#]|file:|[a-z]:[\\/])/i.test(specifier)) return { note: '' };
  const { path, targets } = readAlias(specifier, importer);
  if (targets.length > 0 && path !== undefined) {
    return { note: `; ${escapeText(path)} sends it to ${targets.map(escapeText).join(' or ')}` };
  }
  if (!/^(@?[a-z0-9_-][\w.-]*)(\/|$)/i.test(specifier) || specifier.startsWith('@/')) {
    return {
      note:
        path === undefined
          ? '; there is no tsconfig.json over it'
          : `; no path of ${escapeText(path)} matches it`,
    };
  }
  return { note: '', remedy: 'a package that is not installed: run `npm ci`, or install it' };
}

/** Why the `main` of a package leads nowhere. */
function describeMain(manifest: string): string {
  const main = readMain(manifest);
  const shown = `${escapeText(manifest)} has the main "${escapeText(main ?? '')}"`;
  const path = join(dirname(manifest), main ?? 'index');
  const meant = ['.ts', '.mts', '.cts', '.tsx', '.mjs', '/index.ts', '/index.mjs'].find((end) =>
    existsSync(path + end),
  );
  return meant === undefined
    ? `${shown}, which is not there`
    : `${shown} without its extension, which is ${meant}`;
}

function readMain(manifest: string): string | undefined {
  try {
    const { main }: Record<string, unknown> = JSON.parse(readFileSync(manifest, 'utf8'));
    return typeof main === 'string' ? main : undefined;
  } catch {
    return undefined;
  }
}
