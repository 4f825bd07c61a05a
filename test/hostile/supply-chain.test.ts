import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

/** What npm's lock file says of one installed package. */
interface LockedPackage {
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

/** Every package of the lock file, by its folder. */
async function lockedPackages(): Promise<readonly (readonly [string, LockedPackage])[]> {
  const lock: { packages: Record<string, LockedPackage> } = JSON.parse(
    await readFile(`${REPOSITORY}package-lock.json`, 'utf8'),
  );
  return Object.entries(lock.packages).filter(([folder]) => folder !== '');
}

describe('what is installed', () => {
  test('is each locked to its content, by a SHA-512', async () => {
    const unlocked = (await lockedPackages()).filter(([, { integrity = '' }]) => !/^sha512-/.test(integrity));
    expect(unlocked).toEqual([]);
  });

  test('runs nothing of its own when it is installed, as far as users install it', async () => {
    const running = (await lockedPackages()).filter(([, { dev }]) => dev !== true);
    expect(running.length).toBeGreaterThan(Object.keys(manifest.dependencies).length);
    for (const [folder, { hasInstallScript }] of running) {
      const { scripts = {} }: { scripts?: Record<string, string> } = JSON.parse(
        await readFile(`${REPOSITORY}${folder}/package.json`, 'utf8'),
      );
      const hooks = Object.keys(scripts).filter((name) => /^(pre|post)?install$/.test(name));
      expect({ folder, hasInstallScript, hooks }).toEqual({ folder, hasInstallScript: undefined, hooks: [] });
    }
  });
});
