import type { Writable } from 'node:stream';

/** A run that has come to its end. */
export interface Ended {
  readonly exitCode: number;
  /** What is left to do once the answer is out. */
  readonly finish: () => void;
}

/**
 * Runs the program and ends the process with its exit code, once its output is out: an application's module may have
 * left handles open. Nothing else ends the process.
 */
export async function runToEnd(start: () => Promise<Ended>): Promise<void> {
  const { stdout, stderr } = process;
  let lostOutput: Error | undefined;
  // A reader that went away (`| head`) is no failure; an answer that could not be stored is one.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') lostOutput = error;
  });
  stderr.on('error', () => {});
  // Nothing left to wait for, and no answer: without this, Node would end with 0.
  process.on('beforeExit', () => void fail('a bug: it ran out of work before it had an answer', 1));
  try {
    const { exitCode, finish } = await start();
    await drained(stdout);
    if (lostOutput && exitCode === 0)
      return await fail(`the answer could not be written: ${lostOutput.message}`, 1);
    await drained(stderr);
    finish();
    process.exit(exitCode);
  } catch (error) {
    if (isMissingPackage(error)) {
      const [reason = ''] = error.message.split('\n');
      return await fail(`a package is missing, run \`npm ci\`: ${reason}`, 2);
    }
    await fail(`a bug: ${error instanceof Error ? error.stack : String(error)}`, 1);
  }
}

function isMissingPackage(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^(ERR_)?MODULE_NOT_FOUND$/.test(String(error.code));
}

async function fail(line: string, exitCode: number): Promise<void> {
  process.stderr.write(`mastra-lease: ${line}\n`);
  await drained(process.stderr);
  process.exit(exitCode);
}

function drained(stream: Writable): Promise<unknown> {
  return new Promise((resolve) => stream.write('', resolve));
}
