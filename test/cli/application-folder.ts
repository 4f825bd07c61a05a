import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

/** Files by their path in the folder; objects are written as JSON. */
export type Files = Readonly<Record<string, string | object>>;

/** A package of its own with these files, in which this one is installed. */
export async function makePackage(files: Files): Promise<TempDir> {
  const folder = await makeTempDir();
  await mkdir(join(folder.path, 'node_modules'));
  await symlink(REPOSITORY, join(folder.path, 'node_modules', 'mastra-lease'));
  await writeFiles(folder.path, { 'package.json': { type: 'module' }, ...files });
  return folder;
}

export async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  }
}
