import type { Requirement } from '../../../src/conformance/levels.js';
import type { ProviderFactory, ProviderProcess } from '../../../src/conformance/options.js';
import type { ConformanceReport } from '../../../src/conformance/report.js';
import { runConformance } from '../../../src/conformance/run-conformance.js';
import { LeaseServer } from './correct-leases.js';

/** A provider that is wrong in one way. */
export interface Mutant {
  /** What it does wrong. */
  readonly name: string;
  /** The clause that is meant to catch it. */
  readonly clause: string;
  /** What has to be required for that. */
  readonly require?: Requirement | undefined;
  /** Starts what a run needs. */
  readonly start: () => RunningMutant | Promise<RunningMutant>;
}

/** A wrong provider, and what it runs on. */
export interface RunningMutant {
  readonly factory: ProviderFactory;
  readonly startProcess?: () => ProviderProcess;
  stop?(): Promise<void>;
}

/** A mutant whose instances share a server in this process. */
export function mutant(
  name: string,
  clause: string,
  Wrong: new (server: LeaseServer) => object,
  require?: Requirement,
): Mutant {
  const start = () => {
    const server = new LeaseServer();
    return { factory: () => new Wrong(server) };
  };
  return { name, clause, require, start };
}

/** Runs a mutant through these clauses, or through all of them. */
export async function runMutant(
  { start, require }: Mutant,
  options: { readonly clauses?: readonly string[]; readonly seed?: number } = {},
): Promise<ConformanceReport> {
  const { factory, startProcess, stop } = await start();
  try {
    return await runConformance(factory, { ...options, startProcess, require: require && [require] });
  } finally {
    await stop?.();
  }
}
