import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { killWithThisProcess } from '../support/orphan-guard.js';
import { waitFor } from '../support/wait-for.js';

const PROGRAM = fileURLToPath(new URL('../fixtures/thread-agent/run.ts', import.meta.url));

/** A process with a real Mastra agent that obeys this test: see `test/fixtures/thread-agent/run.ts`. */
export interface ThreadAgent extends AsyncDisposable {
  /** Sends a command and waits for the last word of its answer: a run's id, mostly. */
  ask(
    verb: 'run' | 'send' | 'approve' | 'join' | 'abort' | 'end',
    thread: string,
    rest?: string,
  ): Promise<string>;
  /** SIGSTOP, SIGCONT, or SIGKILL, whose end is waited for. */
  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): Promise<void>;
}

/** Starts one on this Redis, with these lease times of the runtime. */
export async function startThreadAgent(
  redisUrl: string,
  times: { readonly ttlMs: number; readonly renewEveryMs: number },
): Promise<ThreadAgent> {
  const child = spawn(process.execPath, [PROGRAM], {
    env: {
      PATH: process.env.PATH,
      FIXTURE_REDIS_URL: redisUrl,
      MASTRA_AGENT_THREAD_LEASE_TTL_MS: String(times.ttlMs),
      MASTRA_AGENT_THREAD_LEASE_RENEW_INTERVAL_MS: String(times.renewEveryMs),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  killWithThisProcess(child);
  child.stdin.on('error', () => {});
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  }
  const answer = (pattern: RegExp, from = 0) =>
    waitFor(() => pattern.exec(output.stdout.slice(from)), {
      deadlineMs: 25_000,
      what: `${pattern} of an agent that said ${output.stdout}${output.stderr}`,
    });
  const signal: ThreadAgent['signal'] = async (name) => {
    const exited = name === 'SIGKILL' && child.exitCode === null ? once(child, 'exit') : undefined;
    child.kill(name);
    await exited;
  };
  await answer(/^ready$/m);
  return {
    async ask(verb, thread, rest = '') {
      const from = output.stdout.length;
      child.stdin.write(`${verb} ${thread} ${rest}\n`);
      const [, word = ''] = await answer(new RegExp(`^\\w+ ${thread} (\\S+)$|^joined ${thread}$`, 'm'), from);
      return word;
    },
    signal,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await signal('SIGKILL');
    },
  };
}
