import type { WorkerId } from './plan.js';

/** With what a worker ends that was to crash. */
export const CRASHED = 70;

/** What a worker is told. */
export interface WorkerTask extends WorkerId {
  /** Removed by a worker that finds itself alone. */
  readonly folder: string;
  readonly database: string;
}

export function workerArguments({ folder, database, seed, worker, life }: WorkerTask): readonly string[] {
  return [folder, database, String(seed), String(worker), String(life)];
}

export function readWorkerArguments(words: readonly string[]): WorkerTask {
  const [folder = '', database = '', seed, worker, life] = words;
  return { folder, database, seed: Number(seed), worker: Number(worker), life: Number(life) };
}
