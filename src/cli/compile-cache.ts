import { existsSync, lstatSync, mkdirSync, type Stats, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';

const PRIVATE = 0o700;

/** Where a cache may be kept, and for whom. */
export interface CacheHost {
  readonly env: NodeJS.ProcessEnv;
  /** The effective user id; `undefined` where the system has none. */
  readonly uid: number | undefined;
}

const THIS_PROCESS: CacheHost = { env: process.env, uid: process.geteuid?.() };

/**
 * Where compiled code is kept between runs: a folder of our own, since whoever can write there runs code as this user, and
 * Node's default is a folder shared by all. Another one, or none, where the user decided so (`NODE_COMPILE_CACHE`,
 * `NODE_DISABLE_COMPILE_CACHE`); `undefined` where there is none.
 */
export function codeFolder(host = THIS_PROCESS): string | undefined {
  const { NODE_DISABLE_COMPILE_CACHE: isRefused, NODE_COMPILE_CACHE: chosen } = host.env;
  if (isRefused) return undefined;
  return chosen ? resolve(chosen) : privateCacheFolder(host);
}

/** Has Node keep the code of what it loads from now on, where {@link codeFolder} says. */
export function keepCompiledCode(host = THIS_PROCESS): void {
  const folder = codeFolder(host);
  if (folder !== undefined) enableCompileCache(folder);
}

/**
 * `mastra-lease/compile-cache` in `$XDG_CACHE_HOME` or `$HOME/.cache`, made where it is missing. `undefined` where the
 * user has no such folder, cannot write, or is not the only one who can.
 */
export function privateCacheFolder({ env, uid }: CacheHost): string | undefined {
  const home = cacheHome(env);
  if (home === undefined || uid === undefined) return undefined;
  const own = join(home, 'mastra-lease');
  const cache = join(own, 'compile-cache');
  try {
    // Under `sudo`, HOME may still be another user's: nothing is made in it.
    if (!existsSync(home) && isSafe(statSync(dirname(home)), uid)) mkdirSync(home, PRIVATE);
    if (!isSafe(statSync(home), uid)) return undefined;
    for (const folder of [own, cache]) {
      if (!existsSync(folder)) mkdirSync(folder, PRIVATE);
      if (!isPrivate(lstatSync(folder), uid)) return undefined;
    }
    return cache;
  } catch {
    return undefined;
  }
}

/** The user's cache folder by the XDG rules: a relative path counts as none. */
function cacheHome({ XDG_CACHE_HOME, HOME }: NodeJS.ProcessEnv): string | undefined {
  if (XDG_CACHE_HOME !== undefined && isAbsolute(XDG_CACHE_HOME)) return XDG_CACHE_HOME;
  return HOME !== undefined && isAbsolute(HOME) ? join(HOME, '.cache') : undefined;
}

/** Whether nobody else can put another folder in the place of one inside it. */
function isSafe(folder: Stats, uid: number): boolean {
  return folder.isDirectory() && folder.uid === uid && (folder.mode & 0o022) === 0;
}

function isPrivate(folder: Stats, uid: number): boolean {
  return folder.isDirectory() && folder.uid === uid && (folder.mode & 0o077) === 0;
}
