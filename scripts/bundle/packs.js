/**
 * Puts the chunks that esbuild makes into a few files of CommonJS, which start fastest: every file costs about 0.3 ms, and
 * Node's loader of ES modules several. A part that only some commands need is in a file of its own, and runs when it is
 * first imported. There is one copy of every module, so `instanceof` holds everywhere.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { transform } from 'esbuild';
import { loadParts } from './part-loader.js';

/** The lowest Node that runs it. */
export const TARGET = 'node22.13';

/**
 * The files of a program, by their names, and the name of the one to run. They are named after what is in them: a
 * program that runs while another is built finds its own, and compiled code of one is never taken for another's.
 *
 * @param {import('esbuild').BuildResult<{ write: false, metafile: true }>} result of a build to ES modules with `splitting`
 * @param {Readonly<Record<string, readonly string[]>>} packs the entries that share a file, by its name; the first entry of
 *   `main` is the program
 */
export async function packChunks({ outputFiles, metafile }, packs) {
  const chunks = new Map(Object.entries(metafile.outputs).map(([path, output]) => [partName(path), output]));

  /** @param {string} entry */
  const partOf = (entry) => {
    for (const [name, { entryPoint }] of chunks) if (entryPoint === entry) return name;
    throw new Error(`Expected ${entry} to be imported by import()`);
  };

  /** @param {string} name */
  const importsOf = (name) =>
    (chunks.get(name)?.imports ?? []).filter(({ kind }) => kind === 'import-statement');

  /**
   * A part and all that it needs at once.
   *
   * @param {string} name
   * @param {Set<string>} [seen]
   */
  const closureOf = (name, seen = new Set()) => {
    if (seen.has(name)) return seen;
    seen.add(name);
    for (const { path, external } of importsOf(name)) if (!external) closureOf(partName(path), seen);
    return seen;
  };

  // What two of them need goes into the one that is always there.
  /** @type {Map<string, string>} */
  const packOf = new Map();
  for (const [pack, entries] of Object.entries(packs)) {
    for (const name of new Set(entries.flatMap((entry) => [...closureOf(partOf(entry))]))) {
      packOf.set(name, packOf.has(name) ? 'main' : pack);
    }
  }

  /** @type {Map<string, string[]>} */
  const contents = new Map();
  /** @type {Record<string, readonly string[]>} */
  const packages = {};
  for (const { path, text } of outputFiles) {
    const name = partName(path);
    const pack = packOf.get(name) ?? basename(name, '.js');
    contents.set(pack, [
      ...(contents.get(pack) ?? []),
      await toPart(name, text, chunks.get(name)?.imports ?? []),
    ]);
    packOf.set(name, pack);
    const needed = [...closureOf(name)].flatMap((part) => importsOf(part).flatMap(npmPackage));
    if (needed.length > 0) packages[name] = [...new Set(needed)];
  }

  /** @type {Map<string, string>} */
  const files = new Map();
  /** @type {Record<string, string>} */
  const homes = {};
  for (const [pack, parts] of contents) {
    if (pack === 'main') continue;
    const text = fileText(`module.exports = {\n${parts.join(',\n')}\n};\n`);
    const file = fileName(pack, text);
    files.set(file, text);
    for (const [name, home] of packOf) if (home === pack) homes[name] = `./${file}`;
  }
  const program = partOf(packs.main?.[0] ?? '');
  const text = fileText(`const parts = {
${contents.get('main')?.join(',\n')}
};
${loadParts}
const load = loadParts(parts, ${JSON.stringify(homes)}, ${JSON.stringify(packages)}, { require, import: importNow });
module.exports = load(${JSON.stringify(program)});
`);
  const main = fileName('main', text);
  return { main, files: files.set(main, text) };
}

/**
 * A file as `ProgramFiles` runs it. It must be ASCII: any other character would double what V8 keeps of it, and would be
 * read as others. esbuild escapes those of texts and not those of regular expressions.
 *
 * @param {string} code
 */
function fileText(code) {
  const other = /.{0,40}[\u0080-\uffff].{0,20}/.exec(code)?.[0];
  if (other !== undefined) throw new Error(`Expected ASCII, with \\u… for all else, got ${other}`);
  return `(function (exports, require, module, __filename, __dirname, importNow) {\n'use strict';\n${code}})\n`;
}

/**
 * @param {string} pack
 * @param {string} text
 */
function fileName(pack, text) {
  return `${pack}.${createHash('sha256').update(text).digest('hex').slice(0, 16)}.js`;
}

/** @param {string} path */
function partName(path) {
  return `./${basename(path)}`;
}

/** @param {{ path: string, external?: boolean }} imported */
function npmPackage({ path, external }) {
  return external && !path.startsWith('node:') ? [path] : [];
}

/**
 * The method of an object that runs a chunk.
 *
 * @param {string} name
 * @param {string} text an ES module
 * @param {readonly { path: string, kind: string, external?: boolean }[]} imports
 */
async function toPart(name, text, imports) {
  // Without spaces and comments it is read faster; with its names, the stack of a bug says where it was.
  let { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: TARGET,
    minifyWhitespace: true,
    minifySyntax: true,
  });
  for (const { path, kind, external } of imports) {
    if (kind !== 'dynamic-import') continue;
    // A module of Node needs no loader of ES modules; a package may.
    if (!external) code = replaceImport(code, `./${basename(path)}`, 'later');
    else if (path.startsWith('node:')) code = replaceImport(code, path, 'later');
  }
  code = code.replaceAll(/(?<![.\w$#])import\((?=[^)])/g, 'importNow(');
  // Only parts import parts, and by their names: none looks for the mark of what was an ES module.
  code = code.replace(/__toCommonJS\((\w+)\)/, '$1');
  return `${JSON.stringify(name)}(module, exports, require, later, importNow) {\n${code}}`;
}

/**
 * @param {string} code
 * @param {string} specifier
 * @param {string} call
 */
function replaceImport(code, specifier, call) {
  return code.replaceAll(`import(${JSON.stringify(specifier)})`, `${call}(${JSON.stringify(specifier)})`);
}
