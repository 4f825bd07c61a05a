import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';

/** How many files of compiled code are kept, a few for each command. */
const KEPT_FILES = 80;

/** Where compiled code is kept, and what it is for: a command needs but a part of a file. */
export interface CodeCache {
  readonly folder: string;
  readonly command: string;
}

/**
 * Runs the files of the bundled program. Each is a function of what a file of CommonJS is given, and of `import()`. Node's own compile cache has only what V8 compiles before a file runs,
 * hardly anything; this one has every function that the command has used. A file's name changes with its text, so that
 * code of one is never taken for that of another; V8 refuses code of another V8.
 */
export class ProgramFiles {
  readonly #folder: string;
  readonly #require: NodeJS.Require;
  readonly #cache: CodeCache | undefined;
  readonly #beforePackages: () => void;
  readonly #fresh: { readonly path: string; readonly script: Script }[] = [];

  /** `beforePackages` is called before Node loads what is not of these files. */
  constructor(folder: string, cache: CodeCache | undefined, beforePackages: () => void) {
    this.#folder = folder;
    this.#beforePackages = beforePackages;
    this.#require = createRequire(`${folder}/main.js`);
    this.#cache = cache;
  }

  /** The exports of a file, which is run; anything but `./…` is what Node says it is. */
  readonly load = (name: string): unknown => {
    if (!name.startsWith('./')) return this.#require(name);
    const filename = `${this.#folder}/${name.slice(2)}`;
    const text = readFileSync(filename, 'latin1');
    const path = this.#cache && `${this.#cache.folder}/${name.slice(2)}.${this.#cache.command}`;
    const cachedData = path === undefined ? undefined : readIfThere(path);
    const script = new Script(text, {
      filename,
      ...(cachedData && { cachedData }),
    });
    if (path !== undefined && (!cachedData || script.cachedDataRejected)) this.#fresh.push({ path, script });
    const module = { exports: {} };
    const { load, importNow } = this;
    script.runInThisContext()(module.exports, load, module, filename, this.#folder, importNow);
    return module.exports;
  };

  /** What `import()` is in these files: V8 has none for code that it was handed. */
  readonly importNow = (specifier: string): Promise<unknown> => {
    this.#beforePackages();
    return import(specifier);
  };

  /** Keeps the code of what ran now and was not kept yet. To be called at the end. */
  keepCode(): void {
    if (!this.#cache || this.#fresh.length === 0) return;
    try {
      mkdirSync(this.#cache.folder, { recursive: true, mode: 0o700 });
      for (const { path, script } of this.#fresh) {
        const draft = `${path}.${process.pid}`;
        // V8 checks which V8 has made it, and not that it is whole.
        writeFileSync(draft, script.createCachedData(), { mode: 0o600, flush: true });
        renameSync(draft, path);
      }
      forget(this.#cache.folder);
    } catch {
      // A full or read-only disk: the next start compiles again.
    }
  }
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** Removes what was made longest ago, of versions that are no longer in use as a rule. */
function forget(folder: string): void {
  const madeMs = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const files = readdirSync(folder).map((name) => ({ name, madeMs: madeMs(name) }));
  for (const { name } of files.sort((one, other) => other.madeMs - one.madeMs).slice(KEPT_FILES)) {
    rmSync(join(folder, name), { force: true });
  }
}
