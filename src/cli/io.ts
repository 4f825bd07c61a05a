import { randomBytes } from 'node:crypto';
import { homedir, hostname, userInfo } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { type Clock, systemClock } from '../lease/clock.js';
import { type ApplicationPlace, processPlace } from './application-place.js';

/** Where lines go: what a stream is to us. */
export type LineSink = Pick<Writable, 'write' | 'writable' | 'once' | 'off'>;

/** The process's own streams, for what draws on the whole of a terminal. */
export interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Writes to stdout, whatever an application's module does to it. */
  readonly write: (text: string) => boolean;
  /** Where signals arrive. */
  readonly signals: Pick<NodeJS.Process, 'on' | 'off'>;
}

/** Everything outside that a command may touch. Only {@link processIo} reaches for the real process. */
export interface CliIo {
  /** The arguments after the program's name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: () => string;
  readonly platform: NodeJS.Platform;
  readonly stdin: Readable;
  readonly stdout: LineSink;
  readonly stderr: Writable;
  readonly isTerminal: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean };
  /** The width of the terminal, in columns. */
  readonly columns: number;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly application: ApplicationPlace;
  /** The user's home directory; `undefined` where there is none. */
  readonly home: () => string | undefined;
  /** An owner's parts: who, where, and something nobody else has. */
  readonly identity: () => { user: string; host: string; pid: number; random: string };
}

/** The real process. Its stdin is opened when it is first looked at: that costs a start 2 ms, and few commands read it. */
export function processIo(): CliIo {
  const { stdout, stderr, env, argv, platform } = process;
  const answers = answerSink(stdout);
  return {
    argv: argv.slice(2),
    env,
    cwd: () => process.cwd(),
    platform,
    get stdin() {
      return process.stdin;
    },
    stdout: answers,
    stderr,
    isTerminal: {
      get stdin() {
        return process.stdin.isTTY === true;
      },
      stdout: stdout.isTTY === true,
      stderr: stderr.isTTY === true,
    },
    // A terminal that was given no size says 0.
    columns: stdout.columns || 80,
    terminal: {
      get stdin() {
        return process.stdin;
      },
      stdout,
      stderr,
      write: (text) => answers.write(text),
      signals: process,
    },
    clock: systemClock,
    application: processPlace(process),
    home: () => withoutName(homedir),
    identity: () => ({
      user: withoutName(() => userInfo().username) ?? `uid-${process.getuid?.() ?? 'unknown'}`,
      host: hostname(),
      pid: process.pid,
      get random() {
        return randomBytes(4).toString('hex');
      },
    }),
  };
}

/** The process's stdout as it is now: what an application's module does to `process.stdout.write` is not for our answer. */
function answerSink(stdout: NodeJS.WriteStream): LineSink {
  const write = stdout.write.bind(stdout);
  return {
    write,
    once: stdout.once.bind(stdout),
    off: stdout.off.bind(stdout),
    get writable() {
      return stdout.writable;
    },
  };
}

/** A random uid in a pod has no entry of its own: asking for its name or home throws. */
function withoutName(ask: () => string): string | undefined {
  try {
    return ask() || undefined;
  } catch {
    return undefined;
  }
}
