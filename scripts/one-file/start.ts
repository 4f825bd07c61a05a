import { runMain } from '../../src/cli/main.js';
import { runToEnd } from '../../src/cli/run.js';

/** Runs the program that is in the same file, and keeps nothing between runs. */
export function run(): void {
  void runToEnd(async () => ({ exitCode: await runMain(), finish: () => {} }));
}
