import type { Backend, BackendSource } from '../lease/backend.js';
import type { Clock } from '../lease/clock.js';
import { isLeaseError, type LeaseError } from '../lease/errors.js';
import type { BackendIdentity } from '../lease/identity.js';
import type { ServerFacts } from '../lease/server-facts.js';

/** How many times the backend is asked to measure its round trip. */
const ROUND_TRIPS = 20;

/** How many leases are listed at most to verify the inspector. */
const LISTED_AT_MOST = 50;

/** What `check` looks at: a backend that was found, whether or not it can lease. */
export interface CheckSubject {
  readonly identity: BackendIdentity;
  /** Absent when the backend cannot be used; `refusal` says why. */
  readonly backend?: Backend;
  readonly refusal?: LeaseError;
  /** What the server tells of itself; absent for backends without one. */
  readonly readServerFacts?: (() => Promise<ServerFacts>) | undefined;
  readonly source: () => BackendSource;
}

/** What `check` found. Holds no secret. */
export interface CheckReport {
  readonly identity: BackendIdentity;
  readonly answers?: Answers;
  readonly inspection?: Inspection;
  readonly server?: ServerFacts;
  /** Why the backend cannot be used, or not now; absent when it can. */
  readonly failure?: LeaseError;
  readonly warnings: readonly string[];
  readonly atMs: number;
  readonly source: BackendSource;
}

/** How the backend answered a read of a key that nobody holds. */
export type Answers =
  | { readonly asked: number; readonly minMs: number; readonly medianMs: number; readonly maxMs: number }
  | { readonly asked: number; readonly error: LeaseError };

/** What listing the leases came to. */
export type Inspection =
  /** The provider named the same owners, or lists them itself. */
  | { readonly state: 'verified'; readonly seen: number }
  /** Nothing is listed, so nothing could be compared. */
  | { readonly state: 'nothing to compare' }
  | { readonly state: 'refused'; readonly error: LeaseError }
  | { readonly state: 'none' };

/** Looks at everything that can be looked at without writing. What a server refuses to tell fails nothing. */
export async function checkBackend(
  subject: CheckSubject,
  clock: Clock,
  probeKey: string,
): Promise<CheckReport> {
  const { identity, backend, refusal } = subject;
  const answers = backend && (await measureAnswers(backend, clock, probeKey));
  const isReached = answers !== undefined && !('error' in answers);
  const inspection = backend && isReached ? await inspect(backend) : undefined;
  // A replica refuses to answer and tells of itself all the same.
  const isHeard = isReached || subject.source().role !== undefined;
  const server = isHeard ? await subject.readServerFacts?.().catch(() => undefined) : undefined;
  const failure = refusal ?? answerFailure(answers) ?? listingFailure(inspection);
  return {
    identity,
    ...(answers && { answers }),
    ...(inspection && { inspection }),
    ...(server && { server }),
    ...(failure && { failure }),
    warnings: [...identity.warnings, ...serverWarnings(server), ...inspectionWarnings(inspection, failure)],
    atMs: clock.wallMs(),
    source: subject.source(),
  };
}

function answerFailure(answers: Answers | undefined): LeaseError | undefined {
  return answers && 'error' in answers ? answers.error : undefined;
}

/** A provider that keeps the contract alone does not notice a replica; what lists its leases does. */
function listingFailure(inspection: Inspection | undefined): LeaseError | undefined {
  if (inspection?.state !== 'refused') return undefined;
  return inspection.error.code === 'ERR_LEASE_UNREACHABLE' ? inspection.error : undefined;
}

async function measureAnswers(backend: Backend, clock: Clock, probeKey: string): Promise<Answers> {
  const times: number[] = [];
  for (let asked = 1; asked <= ROUND_TRIPS; asked += 1) {
    const startedMs = clock.monotonicMs();
    try {
      await backend.provider.getLeaseOwner(probeKey);
    } catch (error) {
      if (!isLeaseError(error)) throw error;
      // An answer it is, if not one that can tell free from unseen.
      if (error.code !== 'ERR_LEASE_UNVERIFIED') return { asked, error };
    }
    // The first call also connects.
    if (asked > 1) times.push(clock.monotonicMs() - startedMs);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => toMicroseconds(times[Math.floor(share * (times.length - 1))] ?? 0);
  return { asked: ROUND_TRIPS, minMs: at(0), medianMs: at(0.5), maxMs: at(1) };
}

/** In milliseconds still: more than three places are noise. */
function toMicroseconds(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

async function inspect({ inspector }: Backend): Promise<Inspection> {
  if (!inspector) return { state: 'none' };
  let seen = 0;
  try {
    for await (const _lease of inspector.listLeases()) {
      seen += 1;
      if (seen >= LISTED_AT_MOST) break;
    }
  } catch (error) {
    if (!isLeaseError(error)) throw error;
    return { state: 'refused', error };
  }
  return seen === 0 ? { state: 'nothing to compare' } : { state: 'verified', seen };
}

function serverWarnings(server: ServerFacts | undefined): string[] {
  if (!server) return [];
  const { role, evictionPolicy, isTrackingPermitted } = server;
  return [
    ...(evictionPolicy !== 'refused' && /^(?:volatile|allkeys)-/.test(evictionPolicy)
      ? [
          `the server may evict leases under memory pressure (maxmemory-policy ${evictionPolicy}), which ends them early: use noeviction`,
        ]
      : []),
    ...(role === 'unverified'
      ? ['the server does not say whether it is the primary: "free" is never certain here']
      : []),
    ...(isTrackingPermitted
      ? []
      : ['client tracking is not permitted: changes cannot be pushed and have to be polled']),
  ];
}

function inspectionWarnings(inspection: Inspection | undefined, failure: LeaseError | undefined): string[] {
  if (inspection?.state === 'refused' && inspection.error !== failure)
    return [`the leases cannot be listed: ${inspection.error.message}`];
  if (inspection?.state === 'none')
    return ['the leases cannot be listed: name where they live by `inspect` in the config'];
  return [];
}
