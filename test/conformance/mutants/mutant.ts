import type { Requirement } from '../../../src/conformance/levels.js';
import type { CorrectLeases, LeaseServer } from './correct-leases.js';

/** A provider that is wrong in one way. */
export interface Mutant {
  /** What it does wrong. */
  readonly name: string;
  /** The clause that is meant to catch it. */
  readonly clause: string;
  /** What has to be required for that. */
  readonly require?: Requirement;
  /** Makes an instance; all of a run get the same server. */
  readonly make: (server: LeaseServer) => unknown;
}

type Wrong = new (server: LeaseServer) => CorrectLeases;

/** A mutant whose instances share their server, as instances do. */
export function mutant(name: string, clause: string, Wrong: Wrong, require?: Requirement): Mutant {
  return { name, clause, make: (server) => new Wrong(server), ...(require && { require }) };
}
