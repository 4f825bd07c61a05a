import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { BackendSource } from '../../src/lease/backend.js';
import type { KeyOutcome } from '../../src/operations/outcome.js';
import type { WatchEvent } from '../../src/operations/watch-event.js';
import type { Recording } from '../../src/tui/index.js';
import { startTerminal, type TerminalRun } from '../support/terminal.js';
import { waitFor } from '../support/wait-for.js';

const PROGRAM = fileURLToPath(new URL('scripted.js', import.meta.url));

/** How the screen is started. */
export interface Settings {
  readonly isWritable?: boolean;
  readonly isReadOnlyContext?: boolean;
  readonly isColourRefused?: boolean;
  readonly replay?: Recording;
  readonly source?: BackendSource;
}

/** What the program can be told. */
export type Command =
  | { readonly events: readonly WatchEvent[] }
  /** What the next writes come to. */
  | { readonly outcome: KeyOutcome }
  | { readonly failure: string }
  /** Something that other code writes to stderr. */
  | { readonly print: string }
  /** The events end with an error. */
  | { readonly fail: string }
  /** An error that nobody catches. */
  | { readonly crash: string };

/** What the program was asked to do by keys. */
export type Request =
  | {
      readonly verb: 'transfer';
      readonly lease: { readonly key: string; readonly owner: string };
      readonly to: string;
    }
  | { readonly verb: 'release'; readonly lease: { readonly key: string; readonly owner: string } }
  | { readonly path: string; readonly text: string };

interface TerminalSettings extends Settings {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Words before the program, such as a shell that runs it. */
  readonly wrap?: readonly [string, ...string[]];
}

/** The screen in a pseudo-terminal, with the test in the place of the backend. */
export interface ScriptedTerminal extends TerminalRun {
  tell(command: Command): void;
  /** The process of the screen itself, which a shell may have started. */
  readonly programPid: number;
  /** What was asked for so far, in order. */
  readonly requests: readonly Request[];
}

/** Starts the screen, connected and drawn. */
export async function startScripted({
  columns = 100,
  rows = 30,
  env = {},
  wrap,
  ...settings
}: TerminalSettings = {}): Promise<ScriptedTerminal> {
  const requests: Request[] = [];
  let socket: Socket | undefined;
  let programPid = 0;
  const server = createServer((connection) => {
    socket = connection;
    connection.on('error', () => {});
    createInterface({ input: connection }).on('line', (line) => {
      const told: Request | { readonly pid: number } = JSON.parse(line);
      if ('pid' in told) programPid = told.pid;
      else requests.push(told);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const program: readonly [string, ...string[]] = [process.execPath, PROGRAM];
  const terminal = await startTerminal([String(port), JSON.stringify(settings)], {
    columns,
    rows,
    env,
    command: wrap ? [...wrap, ...program] : program,
  });
  // Connected before it draws: the first frame is what says that keys are read.
  await terminal.waitForScreen(/leases|too small/, 20_000);
  await waitFor(() => programPid, { what: 'the program to connect' });
  return {
    ...terminal,
    get raw() {
      return terminal.raw;
    },
    get lines() {
      return terminal.lines;
    },
    requests,
    programPid,
    tell: (command) => void socket?.write(`${JSON.stringify(command)}\n`),
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      socket?.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
