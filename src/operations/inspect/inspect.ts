import type { BackendSource } from '../../lease/backend.js';
import type { LeaseError } from '../../lease/errors.js';
import { runOfOwner } from '../../lease/facts.js';
import { parseKey } from '../../lease/key.js';
import { type NextStep, nextSteps } from '../../lease/next-steps.js';
import { type Judgement, judge, type VerdictFacts, type VerdictThresholds } from '../../lease/verdict.js';
import type { OperationContext } from '../context.js';
import { freeNotes } from '../free-notes.js';
import type { Note } from '../outcome.js';
import { ThreadIndex } from '../thread-index.js';
import { readEvidence } from './evidence.js';
import { SharedListing } from './listing.js';
import { addRunsLeases, type Related, readNamedRelative } from './related.js';
import { type InspectTarget, resolveInspected } from './target.js';

/** What an inspection is judged by. */
export interface InspectSettings {
  /** The lease time that the runtime is taken to use, in milliseconds. */
  readonly ttlMs: number;
  readonly thresholds: VerdictThresholds;
  /** At most so many events are read of a thread. */
  readonly maxEvents?: number | undefined;
}

/** What the inspections of one command share. */
export interface InspectContext extends OperationContext {
  readonly settings: InspectSettings;
  readonly listing: SharedListing;
  readonly index: ThreadIndex;
}

export function inspectContext(context: OperationContext, settings: InspectSettings): InspectContext {
  const listing = new SharedListing(context);
  const index = new ThreadIndex({ ...context, backend: { ...context.backend, inspector: listing } });
  return { ...context, settings, listing, index };
}

/** Everything that is known of a key, and what it comes to. Holds no text of a message. */
export interface Inspection {
  readonly key: string;
  readonly facts: VerdictFacts;
  /** How many events were read of it; the facts of one of many keep the last of them alone. */
  readonly eventsRead: number;
  readonly judgement: Judgement;
  /** What to do about it, first things first. */
  readonly steps: readonly NextStep[];
  /** Why there is no evidence where there should be. */
  readonly evidenceError?: LeaseError;
  /** Why its renewals could not be watched. */
  readonly watchError?: LeaseError;
  readonly related: Related;
  /** What finding the key has to say. */
  readonly notes: readonly Note[];
  /** What its being free may have missed. */
  readonly caveats: readonly Note[];
  /** The moment of the reading on this host's clock, milliseconds since the epoch. */
  readonly atMs: number;
  readonly source: BackendSource;
}

/** A thread that was named by its id alone, and that nobody holds: under which key its events are is not known. */
export interface UnfoundThread {
  readonly key: undefined;
  readonly thread: string;
  readonly judgement: Judgement;
  readonly notes: readonly Note[];
  readonly caveats: readonly Note[];
  readonly atMs: number;
  readonly source: BackendSource;
}

/** What an inspection came to. */
export type Inspected = Inspection | UnfoundThread;

/**
 * Looks at a key: first what one round trip shows, then once more with what a listing adds to it, where it may add
 * something. Only reads. Not being able to read the lease is an error, at whatever else cannot be read it says so.
 *
 * @throws `ERR_LEASE_AMBIGUOUS_KEY` when several held threads have the id that was asked for.
 */
export async function* inspect(
  context: InspectContext,
  target: InspectTarget,
): AsyncGenerator<Inspected, void, undefined> {
  const found = await resolveInspected(context, target, context.index);
  if (found.key === undefined) {
    yield unfound(context, found.thread, found.notes);
    return;
  }
  const seen = await look(context, found.key, found.notes);
  yield seen;
  if (needsSurvey(seen)) yield await survey(context, seen);
}

/** Looks at a key once: its lease, its evidence and its named relative, asked at the same time. */
export async function look(
  context: InspectContext,
  key: string,
  notes: readonly Note[] = [],
): Promise<Inspection> {
  const [{ facts, evidenceError }, related] = await Promise.all([
    readFacts(context, key),
    readNamedRelative(context, key),
  ]);
  return judged(context, facts, { related, notes, ...(evidenceError && { evidenceError }) });
}

/** Lease and evidence, asked at the same time: on one server they are of one moment, near enough. */
export async function readFacts(
  context: InspectContext,
  key: string,
): Promise<{ readonly facts: VerdictFacts } & Pick<Inspection, 'evidenceError'>> {
  const { ttlMs, maxEvents } = context.settings;
  const [lease, { error, ...evidence }] = await Promise.all([
    context.backend.readLease(key),
    readEvidence(context, key, maxEvents),
  ]);
  const facts = { key, ...(lease && { lease }), ...evidence, ttlMs };
  return { facts, ...(error && { evidenceError: error }) };
}

/** What is found beside the facts, and stays when they are judged anew. */
type Found = Pick<Inspection, 'related' | 'notes' | 'evidenceError' | 'watchError'>;

/** An inspection of these facts, now. */
export function judged(
  { backend, clock, settings }: InspectContext,
  facts: VerdictFacts,
  { related, notes, evidenceError, watchError }: Found,
): Inspection {
  const judgement = judge(facts, settings.thresholds);
  return {
    related,
    notes,
    caveats: facts.lease ? [] : freeNotes(backend),
    ...(evidenceError && { evidenceError }),
    ...(watchError && { watchError }),
    key: facts.key,
    facts,
    eventsRead: facts.activity?.events.length ?? 0,
    judgement,
    steps: nextSteps(judgement, facts),
    atMs: clock.wallMs(),
    source: backend.source(),
  };
}

/** Whether the other leases may say something: what else the runs hold, or, of nothing at all, whether this is the place. */
function needsSurvey({ key, facts }: Inspection): boolean {
  return runsOf(key, facts).size > 0 || (!facts.lease && facts.evidence !== 'read');
}

async function survey(context: InspectContext, seen: Inspection): Promise<Inspection> {
  const survey = await context.listing.survey();
  const { key, facts, related, atMs } = seen;
  const isUsed = survey.leases.length > 0 ? true : survey.isWhole ? false : undefined;
  const known = facts.lease || isUsed === undefined ? facts : { ...facts, isPrefixUsed: isUsed };
  const runs = runsOf(key, facts);
  const others = runs.size > 0 ? addRunsLeases(related, key, runs, survey) : related;
  return { ...judged(context, known, { ...seen, related: others }), atMs };
}

/** The runs that a key is about: who holds it, and who works on it unheld. */
function runsOf(key: string, { lease, activity }: VerdictFacts): ReadonlySet<string> {
  const parts = parseKey(key);
  if (parts.kind === 'recovery' || parts.kind === 'execution') return new Set([parts.run]);
  if (parts.kind !== 'thread') return new Set();
  const unfinished = activity?.runs.filter(({ state }) => state !== 'ended') ?? [];
  return new Set([...(lease ? [runOfOwner(lease)] : []), ...unfinished.map(({ runId }) => runId)]);
}

function unfound({ backend, clock }: InspectContext, thread: string, notes: readonly Note[]): UnfoundThread {
  const isNothingLeased = notes.some(({ kind }) => kind === 'nothing-leased');
  const judgement: Judgement = isNothingLeased
    ? { verdict: 'unseen', why: 'nothing at all is leased there' }
    : {
        verdict: 'unknown',
        why: 'no held lease has this thread id, and without its resource its events cannot be found',
      };
  const caveats = freeNotes(backend);
  return {
    key: undefined,
    thread,
    judgement,
    notes,
    caveats,
    atMs: clock.wallMs(),
    source: backend.source(),
  };
}
