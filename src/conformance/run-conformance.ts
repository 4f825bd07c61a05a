import { ConformanceRun } from './conformance-run.js';
import type { ConformanceOptions, ProviderFactory } from './options.js';
import type { ConformanceReport } from './report.js';

/**
 * Tries the whole contract on a provider and answers what came of it, clause by clause. It writes: leases at scratch keys
 * under a random name, which are released again; whatever a killed run leaves behind ends within 15 minutes.
 *
 * @throws LeaseError when the backend could not be tested, such as `ERR_LEASE_UNREACHABLE`; a provider that breaks the
 *   contract is an answer, `conforms: false`
 * @example
 * ```ts
 * import { RedisLeaseProvider } from 'mastra-lease/redis';
 * import { runConformance } from 'mastra-lease/testing';
 *
 * const open = () => new RedisLeaseProvider({ url: 'redis://127.0.0.1:6379' });
 * const { conforms, clauses } = await runConformance(open, { level: 'structural' });
 * for (const { id, result, note } of clauses) console.log(id, result, note);
 * conforms; // => true
 * ```
 */
export async function runConformance(
  factory: ProviderFactory,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> {
  const run = new ConformanceRun(factory, options);
  try {
    await run.open();
    await run.decideAll();
    return run.report();
  } finally {
    await run.close();
  }
}
