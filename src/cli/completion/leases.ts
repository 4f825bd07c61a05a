import { locateBackend } from '../../backend/locate.js';
import { openRedis, openSqlite } from '../../backend/own-provider.js';
import { InvalidConfigError } from '../../lease/errors.js';
import type { Lease } from '../../lease/inspector.js';
import { readConnectionSettings } from '../connection-settings.js';
import type { CliIo } from '../io.js';
import { locateOptions } from '../locate.js';
import type { CommonOptions } from '../options.js';
import type { Printer } from '../printer.js';

/** A key press is not waited for any longer, in milliseconds. */
const LIMIT_MS = 300;

/**
 * The leases that are held on the backend that a line names, for completion: all of them within 300 ms, or none. No
 * module is run for it, no file is made, and nothing that goes wrong is told.
 */
export async function heldLeases(
  io: CliIo,
  printer: Printer,
  options: CommonOptions,
): Promise<readonly Lease[]> {
  const { promise: isOver, resolve: end } = Promise.withResolvers<readonly Lease[]>();
  const timer = setTimeout(() => end([]), LIMIT_MS);
  try {
    return await Promise.race([isOver, listLeases(io, printer, options)]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

async function listLeases(io: CliIo, printer: Printer, options: CommonOptions): Promise<readonly Lease[]> {
  const located = await locateBackend({
    ...locateOptions(io, printer, options, 'read'),
    loadModule: async (path) => {
      throw new InvalidConfigError(`${path} is not run to complete a word`);
    },
  });
  const { spec } = located;
  const opening = { access: 'read', budget: () => LIMIT_MS } as const;
  if (spec.kind !== 'redis' && spec.kind !== 'sqlite') return [];
  const settings = readConnectionSettings(io, options, located);
  const provider =
    spec.kind === 'redis'
      ? await openRedis(spec.url, settings, opening)
      : await openSqlite(spec.path, opening);
  try {
    const leases: Lease[] = [];
    for await (const lease of provider.listLeases({ signal: AbortSignal.timeout(LIMIT_MS) }))
      if (lease.keyHex === undefined) leases.push(lease);
    return leases;
  } finally {
    await provider.close();
  }
}
