import type { ThreadRun } from '../../lease/evidence.js';
import type { StreamRecord } from './thread-stream-entry.js';

/** The events by which one stream of a run closes, and what the run is then. */
const CLOSINGS: ReadonlyMap<string, ThreadRun['state']> = new Map([
  ['run-suspended', 'suspended'],
  ['run-completed', 'ended'],
  ['run-failed', 'ended'],
  ['run-aborted', 'ended'],
  ['run-discarded', 'ended'],
]);

/**
 * How long parts of a run may still come after its last word, or after another process took it over, in milliseconds:
 * the runtime does not wait for those on their way when it says that a run is suspended or aborted.
 */
const STRAGGLING_MS = 1_000;

interface RunState {
  readonly runId: string;
  readonly firstEventAtMs: number;
  lastEventAtMs: number;
  lastEventType: string;
  state: ThreadRun['state'];
  registeredAtMs: number | undefined;
  abortRequestedAtMs: number | undefined;
  segment: string | undefined;
  /** Its streams before it was registered again. */
  readonly superseded: Set<string>;
  process: string | undefined;
  /** Processes that another took the run over from, and when. */
  readonly former: Map<string, number>;
  readonly rivals: Map<string, number>;
}

/** What became of the runs among these events, the oldest event first. */
export function readRuns(records: readonly StreamRecord[]): readonly ThreadRun[] {
  const runs = new Map<string, RunState>();
  for (const record of records) {
    const { runId, type } = record;
    if (runId === undefined) continue;
    const known = runs.get(runId);
    if (type === 'run-abort-requested') {
      if (known && known.state !== 'ended') known.abortRequestedAtMs = record.atMs;
    } else if (type === 'run-registered' || type === 'stream-part' || CLOSINGS.has(type)) {
      const run = known ?? begin(runId, record);
      runs.set(runId, run);
      follow(run, record);
    }
  }
  return [...runs.values()].map(asThreadRun);
}

function begin(runId: string, { atMs, type, process, segment }: StreamRecord): RunState {
  return {
    runId,
    firstEventAtMs: atMs,
    lastEventAtMs: atMs,
    lastEventType: type,
    state: 'unfinished',
    registeredAtMs: undefined,
    abortRequestedAtMs: undefined,
    segment,
    superseded: new Set(),
    process,
    former: new Map(),
    rivals: new Map(),
  };
}

function follow(run: RunState, record: StreamRecord): void {
  const { atMs, type, segment } = record;
  const isSuperseded = segment !== undefined && run.superseded.has(segment);
  const closing = CLOSINGS.get(type);
  if (type === 'run-registered') {
    if (run.segment !== undefined && run.segment !== segment) run.superseded.add(run.segment);
    takeOver(run, record);
    run.registeredAtMs = atMs;
    run.state = 'unfinished';
  } else if (closing) {
    // The last word of a stream before: the run has been resumed since.
    if (isSuperseded) return;
    run.state = closing;
  } else {
    if (record.process !== undefined && isFormer(run, record.process, atMs)) return;
    if (run.state !== 'unfinished' && atMs - run.lastEventAtMs <= STRAGGLING_MS) return;
    takeOver(run, record);
    run.state = 'unfinished';
  }
  if (segment !== undefined && !isSuperseded) run.segment = segment;
  run.lastEventAtMs = atMs;
  run.lastEventType = type;
  run.abortRequestedAtMs = undefined;
}

/** Whether the run was taken over from this process, which then has no say; but that it goes on is noted. */
function isFormer(run: RunState, process: string, atMs: number): boolean {
  const takenOverAtMs = run.former.get(process);
  if (takenOverAtMs === undefined) return false;
  if (atMs - takenOverAtMs > STRAGGLING_MS) run.rivals.set(process, atMs);
  return true;
}

function takeOver(run: RunState, { process, atMs }: StreamRecord): void {
  if (process === undefined || process === run.process) return;
  if (run.process !== undefined) run.former.set(run.process, atMs);
  run.former.delete(process);
  run.rivals.delete(process);
  run.process = process;
}

function asThreadRun(run: RunState): ThreadRun {
  const { runId, firstEventAtMs, lastEventAtMs, lastEventType, state } = run;
  const { process, registeredAtMs, abortRequestedAtMs } = run;
  const rivals = [...run.rivals].map(([rival, atMs]) => ({ process: rival, lastEventAtMs: atMs }));
  return {
    runId,
    ...(process !== undefined && { process }),
    firstEventAtMs,
    ...(registeredAtMs !== undefined && { registeredAtMs }),
    lastEventAtMs,
    lastEventType,
    state,
    ...(abortRequestedAtMs !== undefined && { abortRequestedAtMs }),
    ...(rivals.length > 0 && { rivals }),
  };
}
