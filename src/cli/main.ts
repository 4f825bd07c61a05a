import { exitCodeOfFailure, printerFor } from './command.js';
import { type CliIo, processIo } from './io.js';
import { runProgram } from './program.js';
import { watchInterrupts } from './signals.js';

/** Runs the command line of this process and answers its exit code. Never ends the process. */
export async function runMain(): Promise<number> {
  const interrupts = watchInterrupts(process);
  const io = processIo();
  try {
    return await main(io, interrupts.signal);
  } finally {
    interrupts.stop();
    io.application.leave();
  }
}

/** Runs one command line. What is expected to go wrong is one line and a code; anything else is a bug, told as one. */
export async function main(io: CliIo, signal: AbortSignal): Promise<number> {
  // What follows is not ours: the arguments of a command to run, or a key that looks like an option.
  const argv = io.argv.slice(0, io.argv.includes('--') ? io.argv.indexOf('--') : undefined);
  const options = {
    json: argv.includes('--json'),
    quiet: argv.includes('--quiet') || argv.includes('-q'),
    color: !argv.includes('--no-color'),
    introspect: true,
  };
  try {
    return await runProgram({ io, signal });
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error));
    const exitCode = exitCodeOfFailure(failure);
    const printer = printerFor(io, options);
    if (exitCode !== undefined) {
      await printer.error(failure, exitCode, undefined);
      return exitCode;
    }
    await printer.error(
      new Error(`This is a bug in mastra-lease: ${failure.message}`, { cause: failure }),
      1,
      undefined,
    );
    // Only the frames: the message was printed above, escaped.
    io.stderr.write(
      `${(failure.stack ?? '')
        .split('\n')
        .filter((line) => /^ {4}at /.test(line))
        .join('\n')}\n`,
    );
    return 1;
  }
}
