import { isLeaseError } from '../lease/errors.js';
import type { LeaseReport, SeenLease } from '../lease/inspector.js';
import type { KeyVerb } from './outcome.js';

/** Whose a key is: as it was read, or, where nothing was read, by the name that the write was for. */
export type KnownHolder = Pick<SeenLease, 'owner' | 'remainingMs'>;

/** A write that is about to be sent. */
export interface WriteIntent {
  readonly verb: Exclude<KeyVerb, 'owner'>;
  readonly key: string;
  /** The holder before, as far as it was known. */
  readonly before?: KnownHolder | undefined;
  /** The holder that it is to bring about, `null` for nobody. */
  readonly wanted: KnownHolder | null;
}

/** What came of a write. */
export interface WriteEnd {
  /**
   * `refused`: nothing was changed, the key is another's or nobody's. `unknown`: it may have been done. `failed`: it was
   * not, see `error`.
   */
  readonly outcome: 'done' | 'refused' | 'unknown' | 'failed';
  /** The holder afterwards, `null` when nobody holds the key; absent where it is not known. */
  readonly after?: KnownHolder | null;
  /** The write's own answer was lost, and `after` is what was seen on reading back. */
  readonly readBack?: true;
  readonly error?: Error;
}

/**
 * Is told of every write before it is sent; what it answers is told, once, of what came of it. Neither throws: the write
 * cannot be taken back.
 */
export type WriteLog = (write: WriteIntent) => (end: WriteEnd) => Promise<void>;

/** A write's report as the log takes it; unseen when the provider did not tell who holds the key now. */
type LoggedReport = LeaseReport & Pick<WriteEnd, 'readBack'> & { readonly isUnseen?: true };

/** Sends a write and tells the log what came of it. */
export async function loggedWrite<Report extends LoggedReport>(
  log: WriteLog | undefined,
  write: WriteIntent,
  send: () => Promise<Report>,
): Promise<Report> {
  const tell = log?.(write);
  let report: Report;
  try {
    report = await send();
  } catch (error) {
    if (error instanceof Error) await tell?.({ outcome: isUnsettled(error) ? 'unknown' : 'failed', error });
    throw error;
  }
  const { done, readBack, isUnseen } = report;
  await tell?.({
    outcome: done ? 'done' : 'refused',
    ...(!isUnseen && { after: holderOf(report) }),
    ...(readBack && { readBack }),
  });
  return report;
}

/** A write that a provider of another's failed at without our words may have been done. */
function isUnsettled(error: Error): boolean {
  if (!isLeaseError(error)) return true;
  return error.code === 'ERR_LEASE_OUTCOME_UNKNOWN' || error.code === 'ERR_LEASE_UNEXPECTED_REPLY';
}

function holderOf({ holder, remainingMs }: LeaseReport): KnownHolder | null {
  if (holder === undefined) return null;
  return { owner: holder, ...(remainingMs !== undefined && { remainingMs }) };
}
