import type { TuiOptions } from './options.js';

export type { Recording, ShownLease, TuiActions, TuiOptions } from './options.js';

/**
 * Draws `watch` on a terminal until the user leaves, and answers the exit code: 0, or 130 for Ctrl-C. The terminal is
 * as it was before in every case.
 *
 * @throws the signal's reason when `signal` ends it, and what the events end with.
 */
export async function runTui(options: TuiOptions): Promise<number> {
  const { runScreen } = await withProductionReact(() => import('./screen.js'));
  return runScreen(options);
}

/** React decides by the environment, once, whether it checks itself while it works: that costs half of the CPU time. */
async function withProductionReact<T>(load: () => Promise<T>): Promise<T> {
  const { env } = process;
  const before = env.NODE_ENV;
  env.NODE_ENV = 'production';
  try {
    return await load();
  } finally {
    if (before === undefined) delete env.NODE_ENV;
    else env.NODE_ENV = before;
  }
}
