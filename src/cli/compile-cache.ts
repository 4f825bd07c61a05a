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

/**
 * Keeps compiled code between runs, in a folder of our own: whoever can write there runs code as this user, and
 * Node's default is a folder shared by all. Does nothing where there is no such folder, or where the user decided
 * otherwise (`NODE_COMPILE_CACHE`, `NODE_DISABLE_COMPILE_CACHE`). Answers the folder; `undefined` where nothing is kept.
 */
export function keepCompiledCode(
  host: CacheHost = { env: process.env, uid: process.geteuid?.() },
): string | undefined {
  if (host.env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  // Node uses it already.
  if (host.env.NODE_COMPILE_CACHE) return resolve(host.env.NODE_COMPILE_CACHE);
  const folder = privateCacheFolder(host);
  if (folder !== undefined) enableCompileCache(folder);
  return folder;
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
