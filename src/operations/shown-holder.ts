import { CancelledError, UnsupportedError } from '../lease/errors.js';
import type { SeenLease } from '../lease/inspector.js';
import type { OperationContext } from './context.js';
import { lookForWork, type Quiet, type Sight } from './quiet-guard.js';

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
 * key. Where its run was seen at work, nobody was asked: nothing may be sent.
 */
export type ShownHolder =
  | { readonly owner: string; readonly lease?: SeenLease; readonly sight: Sight }
  | undefined;

/**
 * Finds the owner to name in the write. With force it is the holder as it is now, shown and confirmed; the write stays
 * compare-and-set on exactly that owner, so one that took over since is never touched. With `quiet` it is first looked
 * whether its run is at work.
 *
 * @throws `ERR_LEASE_CANCELLED` when the user said no: nothing was sent.
 */
export async function shownHolder(
  { backend, clock }: OperationContext,
  key: string,
  request: Exclude<OwnerRequest, { by: 'row' }>,
  quiet?: Quiet,
): Promise<ShownHolder> {
  const look = async (): Promise<Sight> => (quiet ? lookForWork(backend, key, quiet) : {});
  if (request.by === 'name') return { owner: request.owner, sight: await look() };
  const lease = await backend.readLease(key);
  if (!lease) return undefined;
  assertNameable(lease);
  const sight = await look();
  if (sight.work) return { owner: lease.owner, lease, sight };
  const shownAtMs = clock.monotonicMs();
  if (!(await request.confirm([lease]))) throw new CancelledError('Cancelled: nothing was sent');
  const isStale = clock.monotonicMs() - shownAtMs > STALE_MS;
  return { owner: lease.owner, lease, sight: isStale ? await look() : sight };
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
