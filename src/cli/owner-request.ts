import type { ConfirmHolders, OwnerRequest } from '../operations/shown-holder.js';
import { assertCanAsk } from './confirm.js';
import type { CliIo } from './io.js';
import { type ForceOptions, parseOwnerOption } from './options.js';
import { UsageError } from './usage-error.js';

/** Reads whose lease a write is about: an owner by its option (or `MASTRA_LEASE_OWNER` for `--owner`), or `--force`. */
export function readOwnerRequest(
  written: string | undefined,
  flag: '--owner' | '--from',
  io: CliIo,
  options: ForceOptions,
  confirm: ConfirmHolders,
): Exclude<OwnerRequest, { by: 'row' }> {
  if (options.force) {
    if (written !== undefined) throw new UsageError(`Expected ${flag} or --force, got both`);
    assertCanAsk(io, options);
    return { by: 'force', confirm };
  }
  if (written !== undefined) return { by: 'name', owner: parseOwnerOption(written, flag) };
  const variable = flag === '--owner' ? io.env.MASTRA_LEASE_OWNER : undefined;
  if (variable) return { by: 'name', owner: parseOwnerOption(variable, 'MASTRA_LEASE_OWNER') };
  throw new UsageError(
    `Expected ${flag} with the owner, or --force for the holder as it is shown, got neither`,
  );
}
