import { Readable, Writable } from 'node:stream';
import { processIo } from '../../src/cli/io.js';
import { main } from '../../src/cli/main.js';

/** What a command line came to. */
export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string | Uint8Array;
  readonly cwd?: string;
}

/** Runs a command line in this process, where a thousand take no longer than ten programs: none of its streams is a terminal. */
export async function runInProcess(
  argv: readonly string[],
  { env = {}, stdin = '', cwd = '/' }: RunOptions = {},
): Promise<Ran> {
  const [stdout, stderr] = [new Collector(), new Collector()];
  const exitCode = await main(
    {
      ...processIo(),
      argv,
      env,
      cwd: () => cwd,
      stdin: Readable.from([Buffer.from(stdin)]),
      stdout,
      stderr,
      isTerminal: { stdin: false, stdout: false, stderr: false },
      columns: 80,
      home: () => undefined,
    },
    new AbortController().signal,
  );
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

class Collector extends Writable {
  text = '';

  override _write(chunk: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
