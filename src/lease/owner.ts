/** What an owner string tells about itself. Owners are compared byte for byte; this is for display only. */
export type OwnerParts =
  | { readonly kind: 'plain' }
  | { readonly kind: 'thread-owner'; readonly runId: string; readonly process: string; readonly id: string };

const THREAD_OWNER_PREFIX = 'mastra-thread-owner:';

/**
 * Decodes `mastra-thread-owner:["runId","sourceId","uuid"]`; every other owner is `plain`.
 *
 * @example
 * ```ts
 * import { parseOwner } from 'mastra-lease';
 *
 * parseOwner('run-1'); // => { kind: 'plain' }
 * parseOwner('mastra-thread-owner:["run-1","process-1","uuid-1"]'); // => { kind: 'thread-owner', runId: 'run-1', process: 'process-1', id: 'uuid-1' }
 * ```
 */
export function parseOwner(owner: string): OwnerParts {
  if (!owner.startsWith(THREAD_OWNER_PREFIX)) return { kind: 'plain' };
  let value: unknown;
  try {
    value = JSON.parse(owner.slice(THREAD_OWNER_PREFIX.length));
  } catch {
    return { kind: 'plain' };
  }
  if (!Array.isArray(value) || value.length !== 3) return { kind: 'plain' };
  const [runId, process, id]: unknown[] = value;
  return typeof runId === 'string' && typeof process === 'string' && typeof id === 'string'
    ? { kind: 'thread-owner', runId, process, id }
    : { kind: 'plain' };
}

/** Where {@link uniqueOwner} takes its parts from. */
export interface OwnerSource {
  /** The OS user's name, or `uid-N` where the user has none. */
  readonly user: string;
  readonly host: string;
  readonly pid: number;
  /** A fresh random text. */
  readonly random: string;
}

/** An owner that nobody else uses: `user@host:pid:random`. */
export function uniqueOwner({ user, host, pid, random }: OwnerSource): string {
  return `${user}@${host}:${pid}:${random}`;
}
