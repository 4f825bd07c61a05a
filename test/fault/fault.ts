import type { RedisTlsOptions } from '../../src/providers/redis/index.js';

/** Who holds a key, and for how many milliseconds more. */
export interface Held {
  readonly owner: string;
  readonly leftMs: number;
}

/** What the backend really holds, asked by somebody whom the fault does not touch. */
export interface Truth {
  hold(key: string, owner: string): Promise<void>;
  read(key: string): Promise<Held | undefined>;
  /** How often a verb changed this key's record; absent where that cannot be seen. */
  effectsOn?(key: string): Promise<number>;
}

/** How one cell of the matrix reaches the backend. */
export interface Way {
  /** As `--backend` takes it. */
  readonly backend: string;
  /** Further words of the command line, and what they are for the library. */
  readonly args?: readonly string[];
  readonly tls?: RedisTlsOptions;
  /** Runs a program and its arguments with less than it is used to, by `/bin/sh -c`. */
  readonly shell?: string;
  /** Brings the fault about for this cell alone: when the library is connected, and before the verb is sent. */
  strike?(): void;
}

/** A fault that is arranged and has not happened yet. */
export interface Scene extends AsyncDisposable {
  readonly truth: Truth;
  way(key: string): Promise<Way>;
  /** Brings the fault about for all cells: every lease is in place, and the library is connected. */
  strike?(): Promise<void>;
  /** Ends it, so that what is there can be read. */
  heal?(): Promise<void>;
}

/** Something that goes wrong between an operator and the leases. */
export interface Fault {
  /** Unique; the heading in the table. */
  readonly name: string;
  /** What happens, as a sentence's end. */
  readonly sentence: string;
  /** Milliseconds for a command, by `--timeout`: short where nothing will answer. Default 10 s. */
  readonly timeoutMs?: number;
  /** Whether the leases themselves are gone. */
  readonly losesLeases?: boolean;
  /** In a cluster: what puts all keys into one slot. */
  readonly hashTag?: string;
  readonly arrange: () => Promise<Scene>;
}

/** The time that is enough for whoever answers, on a busy machine too. */
const ANSWERING_MS = 10_000;
/** The time for what will not be answered. */
export const SILENT_MS = 1_000;

export function timeoutOf({ timeoutMs = ANSWERING_MS }: Fault): number {
  return timeoutMs;
}

/** Every password of the faults. No output may hold it. */
export const SECRET = 'S3cret-of-the-matrix';
