import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { BIN } from './processes.js';

/** The program, run without keeping this process from what else it does, such as being its proxy. */
export interface Cli {
  /** Runs it to its end, and answers the milliseconds. */
  run(args: readonly string[]): Promise<number>;
}

export function openCli(home: string): Cli {
  return {
    run: async (args) => {
      const startedMs = performance.now();
      const child = spawn(process.execPath, [BIN, ...args], {
        env: { PATH: process.env.PATH, HOME: home },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let complaint = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        complaint += text;
      });
      const [exitCode] = await once(child, 'close');
      if (exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${exitCode}: ${complaint}`);
      return performance.now() - startedMs;
    },
  };
}
