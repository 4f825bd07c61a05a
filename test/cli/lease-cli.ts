import { fileURLToPath } from 'node:url';
import { type CliResult, runCli, startCli } from '../support/run-cli.js';

/** Compiled code for all runs: each has a home of its own, where the program would start a new cache every time. */
const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/mastra-lease-tests', import.meta.url));

type CliOptions = NonNullable<Parameters<typeof runCli>[1]>;

interface LeaseOptions extends CliOptions {
  /** The backend, by `MASTRA_LEASE_BACKEND`. */
  readonly backend?: string;
}

/** Runs the real program to its end; see {@link runCli}. */
export function lease(args: readonly string[], options: LeaseOptions = {}): Promise<CliResult> {
  return runCli(args, withEnvironment(options));
}

/** Starts the real program and leaves it running; see {@link startCli}. */
export function startLease(args: readonly string[], options: LeaseOptions = {}): ReturnType<typeof startCli> {
  return startCli(args, withEnvironment(options));
}

function withEnvironment({ backend, env, ...options }: LeaseOptions): CliOptions {
  return {
    ...options,
    env: {
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...(backend !== undefined && { MASTRA_LEASE_BACKEND: backend }),
      ...env,
    },
  };
}
