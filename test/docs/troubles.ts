import type { writeHistory } from '../redis/thread-events.js';

const [MINUTE, SECOND] = [60_000, 1_000];
const event = (type: string, runId: string, sourceId: string) => ({ type, runId, sourceId });

interface Trouble {
  readonly owner?: string;
  readonly leftMs?: number;
  readonly history: Parameters<typeof writeHistory>[2];
}

/** Threads that something is the matter with: who holds them, and what happened how long ago. */
export const TROUBLES: Readonly<Record<string, Trouble>> = {
  silent: {
    owner: 'run-1',
    history: [
      [9 * MINUTE, event('run-registered', 'run-1', 'process-1')],
      [8 * MINUTE, event('stream-part', 'run-1', 'process-1')],
      [MINUTE, event('signal-enqueued', 'run-1', 'process-2')],
    ],
  },
  doubled: {
    owner: 'run-2',
    history: [
      [9 * SECOND, event('run-registered', 'run-2', 'process-1')],
      [8 * SECOND, event('stream-part', 'run-2', 'process-1')],
      [7 * SECOND, event('run-registered', 'run-2', 'process-2')],
      [6 * SECOND, event('stream-part', 'run-2', 'process-2')],
      [5 * SECOND, event('stream-part', 'run-2', 'process-1')],
      [4 * SECOND, event('stream-part', 'run-2', 'process-2')],
    ],
  },
  lapsed: { history: [[SECOND, event('run-registered', 'run-3', 'process-1')]] },
  disputed: { owner: 'ci-job', history: [[SECOND, event('stream-part', 'run-4', 'process-1')]] },
  strange: { owner: 'ci-job', history: [[MINUTE, event('run-completed', 'run-5', 'process-1')]] },
  parked: { owner: 'run-6', history: [[MINUTE, event('run-suspended', 'run-6', 'process-1')]] },
  orphaned: {
    history: [
      [MINUTE, event('stream-part', 'run-7', 'process-1')],
      [MINUTE / 2, event('signal-enqueued', 'run-7', 'process-2')],
    ],
  },
  working: { owner: 'run-8', history: [[SECOND, event('stream-part', 'run-8', 'process-1')]] },
  late: { owner: 'run-8', leftMs: 9_000, history: [] },
  aborted: {
    owner: 'run-1',
    history: [
      [9 * MINUTE, event('run-registered', 'run-1', 'process-1')],
      [MINUTE, event('run-abort-requested', 'run-1', 'process-2')],
    ],
  },
};
