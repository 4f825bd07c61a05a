import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { killWithThisProcess } from '../../support/orphan-guard.js';
import { STRIP_TYPES } from '../../support/strip-types.js';
import { waitFor } from '../../support/wait-for.js';
import type { LeakMessage, LeakPlan, Sample } from './leak-protocol.js';

const CHILD = fileURLToPath(new URL('./leak-child.ts', import.meta.url));

export interface LeakProcess extends AsyncDisposable {
  readonly pid: number;
  /** What it told so far. */
  readonly samples: readonly Sample[];
  /** How often its view was live. */
  readonly timesLive: number;
  /** Everything that it printed: a warning of Node's about listeners would be here. */
  readonly output: string;
  /** Asks for a sample, and waits for it. */
  sample(): Promise<Sample>;
  /** Waits for it to end by itself; a watch is told to. */
  end(deadlineMs: number): Promise<void>;
}

/** Starts a process that can be told to collect its garbage. */
export function startLeakProcess(plan: LeakPlan): LeakProcess {
  const child = fork(CHILD, [JSON.stringify(plan)], {
    execArgv: ['--expose-gc', ...STRIP_TYPES],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  killWithThisProcess(child);
  const samples: Sample[] = [];
  let timesLive = 0;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  child.on('message', (message: LeakMessage) => {
    if (message.message === 'sample') samples.push(message.sample);
    if (message.message === 'live') timesLive += 1;
  });
  const ended = once(child, 'close');
  return {
    pid: child.pid ?? 0,
    samples,
    get timesLive() {
      return timesLive;
    },
    get output() {
      return output;
    },
    async sample() {
      const count = samples.length;
      child.send('sample');
      return waitFor(() => samples[count], { deadlineMs: 30_000, what: 'a sample' });
    },
    async end(deadlineMs) {
      if (plan.kind === 'watch') child.send('stop');
      await waitFor(() => child.exitCode !== null, {
        deadlineMs,
        what: `the end of the process:\n${output}`,
      });
      await ended;
      if (child.exitCode !== 0) throw new Error(`It ended with ${child.exitCode}: ${output}`);
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      child.kill('SIGKILL');
      await ended;
    },
  };
}
