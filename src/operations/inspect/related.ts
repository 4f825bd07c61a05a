import { isLeaseError, type LeaseError } from '../../lease/errors.js';
import type { Lease, SeenLease } from '../../lease/inspector.js';
import { formatKey, type KeyParts, parseKey } from '../../lease/key.js';
import type { OperationContext } from '../context.js';
import type { Survey } from './listing.js';

/** Another lease that has to do with a key: of its thread, or of a run that works on it. */
export interface RelatedLease {
  readonly relation: 'thread' | 'claim' | 'recovery' | 'execution';
  readonly lease: SeenLease;
}

/** The related leases that are held, as far as they were looked for. */
export interface Related {
  readonly leases: readonly RelatedLease[];
  /** Why some of them may be missing: what failed, or `unfinished` where there was no time to look at all leases. */
  readonly missing?: LeaseError | 'unfinished';
}

/** Reads the lease whose name the key itself tells: a thread's claim, and a claim's thread. */
export async function readNamedRelative({ backend }: OperationContext, key: string): Promise<Related> {
  const relative = namedRelative(parseKey(key));
  if (!relative) return { leases: [] };
  try {
    const lease = await backend.readLease(formatKey(relative));
    return { leases: lease ? [{ relation: relative.kind, lease }] : [] };
  } catch (error) {
    if (!isLeaseError(error)) throw error;
    return { leases: [], missing: error };
  }
}

function namedRelative(parts: KeyParts): Extract<KeyParts, { kind: 'thread' | 'claim' }> | undefined {
  if (parts.kind === 'thread') return { ...parts, kind: 'claim' };
  return parts.kind === 'claim' ? { ...parts, kind: 'thread' } : undefined;
}

/** The leases of a survey that belong to these runs, after what is known already. */
export function addRunsLeases(
  { leases: known, missing }: Related,
  key: string,
  runs: ReadonlySet<string>,
  survey: Survey,
): Related {
  const named = new Set([key, ...known.map(({ lease }) => lease.key)]);
  const found = survey.leases.flatMap((lease): readonly RelatedLease[] => {
    const relation = named.has(lease.key) || lease.keyHex !== undefined ? undefined : relationTo(runs, lease);
    return relation ? [{ relation, lease }] : [];
  });
  const reason = missing ?? survey.error ?? (survey.isWhole ? undefined : 'unfinished');
  return { leases: [...known, ...found], ...(reason && { missing: reason }) };
}

function relationTo(runs: ReadonlySet<string>, { key, owner }: Lease): RelatedLease['relation'] | undefined {
  const parts = parseKey(key);
  switch (parts.kind) {
    case 'thread':
      return runs.has(owner) ? parts.kind : undefined;
    case 'recovery':
    case 'execution':
      return runs.has(parts.run) ? parts.kind : undefined;
    default:
      return undefined;
  }
}
