import { chmod, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CliResult } from '../support/run-cli.js';
import { makeTempDir } from '../support/temp-dir.js';
import { lease } from './lease-cli.js';

const BIN = fileURLToPath(new URL('../../bin/mastra-lease.js', import.meta.url));

/** A POSIX shell in which `mastra-lease` is the real program. */
export interface Shell extends AsyncDisposable {
  /** Runs a script, such as a command that the program has printed, with `MASTRA_LEASE_BACKEND` set. */
  run(script: string, backend: string): Promise<CliResult>;
}

export async function openShell(): Promise<Shell> {
  const directory = await makeTempDir();
  const program = join(directory.path, 'mastra-lease');
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
  await chmod(program, 0o755);
  const env = { PATH: `${directory.path}${delimiter}${process.env.PATH}` };
  return {
    run: (script, backend) => lease([script], { backend, env, command: ['/bin/sh', '-c'] }),
    [Symbol.asyncDispose]: () => directory.remove(),
  };
}

/** The commands that a message suggests, each as it stands on its line. */
export function printedCommands(stderr: string): readonly string[] {
  return stderr.split('\n').filter((line) => line.startsWith('  mastra-lease '));
}
