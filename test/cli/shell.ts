import { chmod, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { BIN, type CliResult } from '../support/run-cli.js';
import { makeTempDir } from '../support/temp-dir.js';
import { lease } from './lease-cli.js';

/** A POSIX shell in which `mastra-lease`, and `npx mastra-lease`, are the real program. */
export interface Shell extends AsyncDisposable {
  /** A folder of its own, with its programs in it. */
  readonly path: string;
  /** The `PATH` with its programs. */
  readonly searchPath: string;
  /** Adds a program, by what is written in it. */
  add(name: string, script: string): Promise<void>;
  /** Runs a script, such as a command that the program has printed, with `MASTRA_LEASE_BACKEND` set. */
  run(script: string, backend: string): Promise<CliResult>;
}

export async function openShell(): Promise<Shell> {
  const { path, remove } = await makeTempDir();
  const add = async (name: string, script: string) => {
    await writeFile(join(path, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(path, name), 0o755);
  };
  await add('mastra-lease', `exec '${process.execPath}' '${BIN}' "$@"`);
  await add('npx', 'exec "$@"');
  const searchPath = `${path}${delimiter}${process.env.PATH}`;
  return {
    path,
    searchPath,
    add,
    run: (script, backend) =>
      lease([script], { backend, env: { PATH: searchPath }, command: ['/bin/sh', '-c'] }),
    [Symbol.asyncDispose]: remove,
  };
}

/** The commands that a message suggests, each as it stands on its line. */
export function printedCommands(stderr: string): readonly string[] {
  return stderr.split('\n').filter((line) => line.startsWith('  mastra-lease '));
}
