import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { packChunks } from '../../../scripts/bundle/packs.js';
import { makeTempDir } from '../../support/temp-dir.js';

/** A program of one file, packed as the command line tool is. */
async function pack(source: string) {
  await using folder = await makeTempDir();
  await writeFile(join(folder.path, 'main.ts'), source);
  const result = await build({
    absWorkingDir: folder.path,
    entryPoints: ['main.ts'],
    outdir: 'out',
    bundle: true,
    format: 'esm',
    splitting: true,
    write: false,
    metafile: true,
  });
  return await packChunks(result, { main: ['main.ts'] });
}

it('a program is packed in ASCII, whatever its texts are', async () => {
  const { main, files } = await pack(`export const runMain = () => 'é─█';`);
  expect(files.get(main)).toContain(String.raw`\xE9\u2500\u2588`);
});

it('a regular expression that would be read as other characters stops the build, and is shown', async () => {
  await expect(pack('export const runMain = (text: string) => /^[─-▟]*$/.test(text);')).rejects.toThrow(
    'Expected ASCII, with \\u… for all else, got ',
  );
});
