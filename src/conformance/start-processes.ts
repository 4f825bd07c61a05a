import type { ProviderProcess } from './options.js';
import { openProcess, type ProcessEndpoint } from './process-endpoint.js';

/** How many other processes take part where they can be started. */
const PROCESSES = 2;

/** Starts the other processes and puts them into `processes`, in their order; those too that are up when one is not. */
export async function startProcesses(
  startProcess: () => ProviderProcess | Promise<ProviderProcess>,
  nowMs: () => number,
  processes: ProcessEndpoint[],
): Promise<void> {
  const starting = Array.from({ length: PROCESSES }, async (_, index) =>
    openProcess(await startProcess(), index + 1, nowMs),
  );
  const started = await Promise.allSettled(starting);
  for (const result of started) if (result.status === 'fulfilled') processes.push(result.value);
  for (const result of started) if (result.status === 'rejected') throw result.reason;
}
