import { waitFor } from '../support/wait-for.js';
import { startLease } from './lease-cli.js';

type JsonLine = Readonly<Record<string, unknown>>;

/** A `watch --json` that goes on, and its events. */
export interface WatchRun extends AsyncDisposable {
  readonly running: Awaited<ReturnType<typeof startLease>>;
  readonly events: readonly JsonLine[];
  /** Waits for the first event that has these fields, of those that were not waited for yet. */
  next(fields: JsonLine): Promise<JsonLine>;
  /** Stops it and waits for its end. */
  stop(signal?: NodeJS.Signals): Promise<{ readonly exitCode: number | null; readonly stderr: string }>;
}

/** Starts `watch --json` with these arguments and waits until it is live. */
export async function startWatch(
  args: readonly string[],
  options: Parameters<typeof startLease>[1] = {},
): Promise<WatchRun> {
  const running = await startLease(['watch', '--json', ...args], options);
  let seen = 0;
  const events = () => linesOf(running.output.stdout);
  const run: WatchRun = {
    running,
    get events() {
      return events();
    },
    next: (fields) =>
      waitFor(
        () => {
          const all = events();
          const index = all.findIndex(
            (event, at) =>
              at >= seen && Object.entries(fields).every(([name, value]) => event[name] === value),
          );
          if (index < 0) return undefined;
          seen = index + 1;
          return all[index];
        },
        {
          deadlineMs: 15_000,
          what: `${JSON.stringify(fields)} in\n${running.output.stdout}${running.output.stderr}`,
        },
      ),
    stop: async (signal = 'SIGINT') => {
      running.child.kill(signal);
      return running.done;
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
  await run.next({ type: 'backend-up' });
  return run;
}

/** The whole lines so far: one that is still being written is left. */
function linesOf(text: string): readonly JsonLine[] {
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
