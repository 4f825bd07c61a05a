import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** `folder` and all above it, nearest first, up to where every user may write: what lies there or above is anybody's. */
export function* ancestors(folder: string): Generator<string> {
  for (
    let current = folder, above = dirname(folder);
    !isAnybodys(current);
    current = above, above = dirname(above)
  ) {
    yield current;
    if (current === above) return;
  }
}

/** The nearest file of that name, from `folder` upward. */
export function findAbove(name: string, folder: string): string | undefined {
  for (const candidate of ancestors(folder)) {
    const path = join(candidate, name);
    if (existsSync(path)) return path;
  }
  return undefined;
}

/** The nearest folder, from `folder` upward, that holds a package.json. */
export function findPackageRoot(folder: string): string | undefined {
  const manifest = findAbove('package.json', folder);
  return manifest === undefined ? undefined : dirname(manifest);
}

/** A folder like /tmp: writable by all, and sticky, so that each user keeps his own there. */
function isAnybodys(folder: string): boolean {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && (stats.mode & 0o1002) === 0o1002;
}
