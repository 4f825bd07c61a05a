import { withoutUserInfo } from '../lease/redact.js';
import { printable } from '../output/printable.js';
import { privateCacheFolder } from './compile-cache.js';

/** Where an application's modules run: this process, kept out of the way of our answer. */
export interface ApplicationPlace {
  /** The environment that modules see; a project's `.env` is added to it. */
  readonly env: Record<string, string | undefined>;
  /** A folder that only the user can write to, for compiled modules. */
  readonly cacheDir: () => string | undefined;
  /**
   * From now on what modules print on stdout goes to stderr, what they throw outside of any call of ours is told as their
   * own, by `warn`, each failure once, and they cannot end the process.
   */
  enter(warn: (line: string) => void): void;
  /** Waits until what modules have left failing so far is told. */
  settle(): Promise<void>;
  /** Ends what `enter` began. */
  leave(): void;
}

/** The parts of a process that an application's module can disturb. */
export interface HostProcess {
  readonly env: Record<string, string | undefined>;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly geteuid?: () => number;
  exit: (code?: number | string | null) => never;
  on(event: 'unhandledRejection' | 'uncaughtException', listener: (error: unknown) => void): unknown;
  off(event: 'unhandledRejection' | 'uncaughtException', listener: (error: unknown) => void): unknown;
}

/** The place that a process is for modules. */
export function processPlace(host: HostProcess): ApplicationPlace {
  const { env, stdout, stderr } = host;
  let leave: (() => void) | undefined;
  return {
    env,
    cacheDir: () => privateCacheFolder({ env, uid: host.geteuid?.() }),
    enter: (warn) => {
      if (leave) return;
      const { write } = stdout;
      const { exit } = host;
      // A command of ours ends with a code of ours.
      host.exit = (code) => {
        throw new Error(`the application asked to end the process (exit ${code ?? 0})`);
      };
      stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
      const told = new Set<string>();
      const onFault = (error: unknown) => {
        const reason = error instanceof Error ? error.message || error.name : String(error);
        const line = printable(withoutUserInfo(reason));
        if (!told.has(line)) warn(`the application failed by itself, outside of any call: ${line}`);
        told.add(line);
      };
      host.on('unhandledRejection', onFault);
      host.on('uncaughtException', onFault);
      leave = () => {
        stdout.write = write;
        host.exit = exit;
        host.off('unhandledRejection', onFault);
        host.off('uncaughtException', onFault);
        leave = undefined;
      };
    },
    settle: () => (leave ? new Promise((resolve) => setImmediate(resolve)) : Promise.resolve()),
    leave: () => leave?.(),
  };
}
