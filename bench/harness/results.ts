import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Machine } from './machine.js';
import type { Findings, Part } from './part.js';

/** What a part found, and when, on what. */
export interface PartResult extends Findings, Omit<Part, 'run'> {
  readonly at: string;
  readonly tookS: number;
  /** The load average before it began. */
  readonly load: number;
  readonly machine: Machine;
}

/** Everything that was measured last, by part. */
export type Results = Readonly<Record<string, PartResult>>;

const FILE = fileURLToPath(new URL('../results.json', import.meta.url));

function readResults(): Results {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
}

/** Puts a part in the place of what it found before. */
export function keepResult(result: PartResult): Results {
  const results = { ...readResults(), [result.name]: result };
  writeFileSync(FILE, `${JSON.stringify(results, undefined, 2)}\n`);
  return results;
}
