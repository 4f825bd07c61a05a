import { readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { makePackage } from '../cli/application-folder.js';
import type { TempDir } from '../support/temp-dir.js';
import { compilerOptions } from './public-symbols.js';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

/** The example's own server, as examples write it. */
const REDIS = 'redis://127.0.0.1:6379';

/** A package of a user in which examples are written down, one a file. */
export async function makeUsersPackage(): Promise<TempDir> {
  const folder = await makePackage({});
  // What a user of TypeScript and of tests has installed.
  for (const name of ['@mastra', '@types', 'ajv', 'vitest'])
    await symlink(join(REPOSITORY, 'node_modules', name), join(folder.path, 'node_modules', name));
  return folder;
}

/**
 * Writes an example down such that it can be run, and answers the file. `expression; // => value` compares; the Redis of
 * the example is `redisUrl`.
 */
export async function writeExample(
  folder: string,
  name: string,
  code: string,
  redisUrl: string,
): Promise<string> {
  const file = join(folder, `${name}.ts`);
  const compared = code.replace(
    /^( *)(?:const (\w+) = )?(.*); \/\/ => (.*)$/gm,
    (_, indent: string, constant: string | undefined, expression: string, value: string) =>
      constant === undefined
        ? `${indent}assert.deepStrictEqual(${expression}, ${value});`
        : `${indent}const ${constant} = ${expression}; assert.deepStrictEqual(${constant}, ${value});`,
  );
  const text = `import assert from 'node:assert';\n${compared.replaceAll(REDIS, redisUrl)}`;
  await writeFile(file, text);
  return file;
}

/** What the compiler says of all examples in a folder, as somebody who installed the package would compile them. */
export async function compileExamples(folder: string): Promise<readonly string[]> {
  const files = (await readdir(folder))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
  const program = ts.createProgram(files, { ...compilerOptions(), noEmit: true, noUnusedLocals: false });
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    return `${file?.fileName.slice(folder.length + 1)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}
