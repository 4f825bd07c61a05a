import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

/** The package as it would be published. */
export interface Packed {
  readonly tarball: string;
  readonly bytes: number;
  readonly unpackedBytes: number;
  /** The paths of what is in it. */
  readonly files: readonly string[];
}

/** Packs this package into a folder, as `npm publish` does: built, and without what earlier builds have left. */
export async function pack(folder: string): Promise<Packed> {
  await npm(['pack', '--pack-destination', folder], REPOSITORY);
  const [name = ''] = (await readdir(folder)).filter((file) => file.endsWith('.tgz'));
  const { stdout } = await npm(['pack', '--dry-run', '--ignore-scripts', '--json'], REPOSITORY);
  const [{ size = 0, unpackedSize = 0, files = [] } = {}]: readonly PackReport[] = JSON.parse(stdout);
  return {
    tarball: join(folder, name),
    bytes: size,
    unpackedBytes: unpackedSize,
    files: files.map(({ path }) => path),
  };
}

interface PackReport {
  readonly size?: number;
  readonly unpackedSize?: number;
  readonly files?: readonly { readonly path: string }[];
}

/** Installs a tarball in an empty folder, as a user does, and answers how many packages came. */
export async function install(tarball: string, folder: string): Promise<number> {
  // Without it npm would look for a package in the folders above.
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  const { stdout } = await npm(['install', '--prefix', folder, '--prefer-offline', tarball], folder);
  const [, count = 'none'] = /added (\d+) packages/.exec(stdout) ?? [];
  return Number(count);
}

function npm(args: readonly string[], cwd: string) {
  // What an `npm test` around this has set is not for this one.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  return run('npm', args, { cwd, env, maxBuffer: 64 * 1024 * 1024, shell: process.platform === 'win32' });
}
