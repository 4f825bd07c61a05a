import type { BackendSource } from '../lease/backend.js';
import { isLeaseError, type LeaseError } from '../lease/errors.js';
import { type HealthReading, type LeaseHealth, readHealth } from '../lease/health.js';
import type { Lease, ListProgress } from '../lease/inspector.js';
import { type KeyKind, type KeyParts, parseKey } from '../lease/key.js';
import { escapeText } from '../lease/text.js';
import type { OperationContext } from './context.js';
import { inspectorOf } from './reporter.js';

/** One lease of a listing, with what its key and its time left tell. */
export interface ListedLease extends Lease, HealthReading {
  readonly parts: KeyParts;
}

/** Which leases a listing is about; all given conditions must hold. */
export interface LeaseFilter {
  /** A glob (`*`, `?`) over the whole of the written key, the thread id or the resource id. */
  readonly pattern?: string | undefined;
  readonly kind?: KeyKind | undefined;
  readonly owner?: string | undefined;
  readonly health?: LeaseHealth | undefined;
}

/** The end of a listing: what it counted, and whether it saw everything. */
export interface ListEnd {
  readonly complete: boolean;
  /** Why it is not complete, or not to be trusted. */
  readonly error?: LeaseError;
  /** Leases of any kind that were seen. */
  readonly total: number;
  /** Leases that the filter let through. */
  readonly matched: number;
  readonly atMs: number;
  readonly source: BackendSource;
}

/** What {@link listLeases} yields: leases as they are found, and one end. */
export type ListEvent = { readonly lease: ListedLease } | { readonly end: ListEnd };

/** What `list` needs to know. */
export interface ListRequest {
  readonly filter: LeaseFilter;
  /** The lease time of the runtime that is looked at, in milliseconds; health is inferred from it. */
  readonly threadTtlMs: number;
  readonly onProgress?: (progress: ListProgress) => void;
}

/**
 * Streams the leases of a backend in the order in which they are found. It always yields an end; a listing that could
 * not see everything says so there. It throws only for what is no {@link LeaseError}.
 */
export async function* listLeases(
  context: OperationContext,
  request: ListRequest,
): AsyncGenerator<ListEvent> {
  const { backend, clock, signal } = context;
  const isWanted = compileFilter(request.filter);
  let total = 0;
  let matched = 0;
  let error: LeaseError | undefined;
  try {
    const { onProgress } = request;
    for await (const lease of inspectorOf(backend).listLeases({ signal, onProgress })) {
      total += 1;
      const listed = { ...lease, ...readHealth(lease, request.threadTtlMs), parts: parseKey(lease.key) };
      if (!isWanted(listed)) continue;
      matched += 1;
      yield { lease: listed };
    }
  } catch (caught) {
    if (!isLeaseError(caught)) throw caught;
    error = caught;
  }
  const end = { complete: error === undefined, ...(error && { error }), total, matched };
  yield { end: { ...end, atMs: clock.wallMs(), source: backend.source() } };
}

/** What a filter looks at; health is absent where it cannot be told. */
export type Filtered = Pick<ListedLease, 'key' | 'owner' | 'parts'> & Partial<Pick<ListedLease, 'health'>>;

export function compileFilter({ pattern, kind, owner, health }: LeaseFilter): (lease: Filtered) => boolean {
  const glob = pattern === undefined ? undefined : compileGlob(pattern);
  return (lease) =>
    (kind === undefined || lease.parts.kind === kind) &&
    (owner === undefined || lease.owner === owner) &&
    (health === undefined || lease.health === health) &&
    (glob === undefined || textsOf(lease).some((text) => glob.test(text)));
}

/** The texts that a pattern may match: the key as it is written, and the ids in it. */
function textsOf({ key, parts }: Filtered): readonly string[] {
  const ids = Object.entries(parts).flatMap(([name, value]) => (name === 'kind' ? [] : [escapeText(value)]));
  return [escapeText(key), ...ids];
}

/** Each `*` but the last takes the first match and keeps it: ids may be long and hostile, and going back costs. */
function compileGlob(pattern: string): RegExp {
  const [first = '', ...others] = pattern
    .split(/\*+/)
    .map((text) => text.replace(/[\\^$.|+()[\]{}]/g, '\\$&').replaceAll('?', '.'));
  const last = others.pop();
  const between = others.map((text, index) => `(?=(.*?${text}))\\${index + 1}`).join('');
  return new RegExp(`^${first}${between}${last === undefined ? '' : `.*${last}`}$`, 'su');
}
