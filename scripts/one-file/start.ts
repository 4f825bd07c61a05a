import { runMain } from '../../src/cli/main.js';
import type { Ended } from '../../src/cli/start.js';

/** Runs the program that is in the same file, and keeps nothing between runs. */
export async function start(): Promise<Ended> {
  return { exitCode: await runMain(), finish: () => {} };
}
