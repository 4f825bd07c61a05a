import type { Command } from 'commander';
import { HEALTHS } from '../lease/health.js';
import { KEY_KINDS } from '../lease/key.js';
import type { LeaseFilter } from '../operations/list-leases.js';
import { printable } from '../output/printable.js';
import { parseOwnerOption } from './options.js';
import { UsageError } from './usage-error.js';

/** The options that say which leases a command is about. */
export interface FilterOptions {
  readonly kind?: string;
  readonly owner?: string;
  readonly health?: string;
}

export function withFilterOptions(command: Command): Command {
  return command
    .option('--kind <kind>', KEY_KINDS.join(', '))
    .option('--owner <owner>', 'only what this owner holds')
    .option('--health <health>', HEALTHS.join(', '));
}

export function readFilter({ kind, owner, health }: FilterOptions): LeaseFilter {
  return {
    kind: oneOf(kind, KEY_KINDS, '--kind'),
    owner: owner === undefined ? undefined : parseOwnerOption(owner, '--owner'),
    health: oneOf(health, HEALTHS, '--health'),
  };
}

/** The value of an option that takes one of a few words. */
export function oneOf<T extends string>(
  value: string | undefined,
  allowed: readonly T[],
  flag: string,
): T | undefined {
  if (value === undefined) return undefined;
  const known = allowed.find((candidate) => candidate === value);
  if (known === undefined)
    throw new UsageError(`Expected ${flag} as one of ${allowed.join(', ')}, got "${printable(value)}"`);
  return known;
}

/** `--limit`: how many are printed at most. */
export function parseLimit(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1) return limit;
  throw new UsageError(`Expected --limit as a whole number from 1, got "${printable(text)}"`);
}
