import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { killWithThisProcess } from '../support/orphan-guard.js';
import { STRIP_TYPES } from '../support/strip-types.js';
import { waitFor } from '../support/wait-for.js';
import type { LibraryAnswer, LibraryMessage, LibraryPlan } from './library-protocol.js';

const CHILD = fileURLToPath(new URL('./library-child.ts', import.meta.url));
const STEP_DEADLINE_MS = 30_000;

/** An application that uses providers, in a process of its own. */
export interface LibraryProcess extends AsyncDisposable {
  /** Makes the calls. */
  call(): Promise<readonly LibraryAnswer[]>;
  /** Waits for the process to end by itself: what kept it alive though it was closed, and what it printed. */
  end(): Promise<{ readonly leftOpen: readonly string[]; readonly printed: string }>;
}

type Message<Kind extends LibraryMessage['message']> = Extract<LibraryMessage, { message: Kind }>;

/** Starts the process; its providers are connected, or have failed to, when this resolves. */
export async function startLibrary(plan: LibraryPlan, shell?: string): Promise<LibraryProcess> {
  const child = fork(CHILD, [JSON.stringify(plan)], {
    execArgv: STRIP_TYPES,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    ...(shell !== undefined && {
      execPath: '/bin/sh',
      execArgv: ['-c', shell, 'sh', process.execPath, ...STRIP_TYPES],
    }),
  });
  killWithThisProcess(child);
  const messages: LibraryMessage[] = [];
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  child.on('message', (message: LibraryMessage) => messages.push(message));
  const ended = once(child, 'close');

  async function next<Kind extends LibraryMessage['message']>(kind: Kind): Promise<Message<Kind>> {
    const isWanted = (message: LibraryMessage): message is Message<Kind> => message.message === kind;
    return waitFor(
      () => {
        const message = messages.find(isWanted);
        if (message || child.exitCode === null) return message;
        throw new Error(`it ended with ${child.exitCode}: ${output}`);
      },
      { deadlineMs: STEP_DEADLINE_MS, what: `the library to tell ${kind}` },
    );
  }

  await next('connected');
  return {
    async call() {
      child.send('struck');
      return (await next('answers')).answers;
    },
    async end() {
      const { leftOpen } = await next('closed');
      const [exitCode] = await ended;
      if (exitCode !== 0) throw new Error(`The library's process ended with ${exitCode}: ${output}`);
      return { leftOpen, printed: output };
    },
    [Symbol.asyncDispose]: () => stop(child),
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'close');
  child.kill('SIGKILL');
  await ended;
}
