import { CancelledError, UnsupportedError } from '../lease/errors.js';
import type { SeenLease } from '../lease/inspector.js';
import type { OperationContext } from './context.js';
import { findWork, type Work } from './quiet-guard.js';

/** Whose lease a write is about: an owner that the user named, or the holder that was shown and confirmed. */
export type OwnerRequest =
  | { readonly by: 'name'; readonly owner: string }
  /** Each key of a bulk comes with the owner that it was listed with. */
  | { readonly by: 'row' }
  | { readonly by: 'force'; readonly confirm: ConfirmHolders };

/** Shows the holders and asks whether to go on; injected, since asking belongs to the edge. */
export type ConfirmHolders = (holders: readonly SeenLease[]) => Promise<boolean>;

/**
 * The owner that a compare-and-set write must name, with the lease it was read from; `undefined` when nobody holds the
 * key. With `work` its run is at work, and nobody was asked: nothing may be sent.
 */
export type ShownHolder =
  | { readonly owner: string; readonly lease?: SeenLease; readonly work?: Work | undefined }
  | undefined;

/**
 * Finds the owner to name in the write. With force it is the holder as it is now, shown and confirmed; the write stays
 * compare-and-set on exactly that owner, so one that took over since is never touched. With `quietForMs` a run that
 * produced something within that time is found at work first.
 *
 * @throws `ERR_LEASE_CANCELLED` when the user said no: nothing was sent.
 */
export async function shownHolder(
  { backend, clock }: OperationContext,
  key: string,
  request: Exclude<OwnerRequest, { by: 'row' }>,
  quietForMs?: number,
): Promise<ShownHolder> {
  const findWorkNow = async () => (quietForMs === undefined ? undefined : findWork(backend, key, quietForMs));
  if (request.by === 'name') return { owner: request.owner, work: await findWorkNow() };
  const lease = await backend.readLease(key);
  if (!lease) return undefined;
  assertNameable(lease);
  const work = await findWorkNow();
  if (work) return { owner: lease.owner, lease, work };
  const shownAtMs = clock.monotonicMs();
  if (!(await request.confirm([lease]))) throw new CancelledError('Cancelled: nothing was sent');
  const isStale = clock.monotonicMs() - shownAtMs > STALE_MS;
  return { owner: lease.owner, lease, work: isStale ? await findWorkNow() : undefined };
}

/** A question may stand for minutes: what was seen of the run before it is then looked at again. */
export const STALE_MS = 1_000;

/** @throws `ERR_LEASE_UNSUPPORTED` for an owner whose bytes are not text: no write could name it. */
export function assertNameable(lease: SeenLease): void {
  if (lease.ownerHex === undefined) return;
  throw new UnsupportedError(
    `The holder's bytes are not UTF-8 (hex ${lease.ownerHex}): it cannot be named in a write`,
    {
      remedy: 'only its expiry, or a client of the backend itself, can end this lease',
    },
  );
}
