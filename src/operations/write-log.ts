import type { LeaseReport, SeenLease } from '../lease/inspector.js';
import type { KeyVerb } from './outcome.js';

/** Whose a key is: as it was read, or, where nothing was read, by the name that the write was for. */
export type KnownHolder = Pick<SeenLease, 'owner' | 'remainingMs'>;

/** A write that was sent, or was to be sent, and what came of it. */
export interface WriteRecord {
  readonly verb: Exclude<KeyVerb, 'owner'>;
  readonly key: string;
  /** The holder before, as far as it was known. */
  readonly before?: KnownHolder | undefined;
  /** The holder afterwards, `null` when nobody holds the key; absent where it is not known. */
  readonly after?: KnownHolder | null;
  /** `refused`: nothing was changed, the key is another's or nobody's. `failed`: see `error`. */
  readonly outcome: 'done' | 'refused' | 'failed';
  /** The write's own answer was lost, and `after` is what was seen on reading back. */
  readonly readBack?: true;
  readonly error?: Error;
}

/** Is told of every write, once, when it is over. Never throws: the write cannot be taken back. */
export type WriteLog = (record: WriteRecord) => Promise<void>;

/** A write's report as the log takes it; unseen when the provider did not tell who holds the key now. */
type LoggedReport = LeaseReport & Pick<WriteRecord, 'readBack'> & { readonly isUnseen?: true };

/** Sends a write and tells the log what came of it. */
export async function loggedWrite<Report extends LoggedReport>(
  log: WriteLog | undefined,
  about: Pick<WriteRecord, 'verb' | 'key' | 'before'>,
  send: () => Promise<Report>,
): Promise<Report> {
  let report: Report;
  try {
    report = await send();
  } catch (error) {
    if (error instanceof Error) await log?.({ ...about, outcome: 'failed', error });
    throw error;
  }
  const { done, readBack, isUnseen } = report;
  await log?.({
    ...about,
    outcome: done ? 'done' : 'refused',
    ...(!isUnseen && { after: holderOf(report) }),
    ...(readBack && { readBack }),
  });
  return report;
}

function holderOf({ holder, remainingMs }: LeaseReport): KnownHolder | null {
  if (holder === undefined) return null;
  return { owner: holder, ...(remainingMs !== undefined && { remainingMs }) };
}
