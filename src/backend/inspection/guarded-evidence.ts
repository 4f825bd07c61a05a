import type { ReadThreadOptions, ThreadActivity, ThreadEvidence } from '../../lease/evidence.js';
import { callForeign, type Foreigner, unexpectedAnswer } from '../foreign-call.js';
import { isObject } from './values.js';

/** Evidence that an application brought: reading has an end, and what it tells has the shape of a thread's activity. */
export class GuardedEvidence implements ThreadEvidence {
  readonly #evidence: ThreadEvidence;
  readonly #foreigner: Foreigner;

  constructor(evidence: ThreadEvidence, foreigner: Foreigner) {
    this.#evidence = evidence;
    this.#foreigner = foreigner;
  }

  async readThread(threadKey: string, options?: ReadThreadOptions): Promise<ThreadActivity | undefined> {
    const answer = await callForeign(this.#foreigner, 'readThread', 'read', () =>
      this.#evidence.readThread(threadKey, options),
    );
    if (answer === undefined || isActivity(answer)) return answer;
    throw unexpectedAnswer(this.#foreigner, 'readThread', 'read', "a thread's activity or undefined", answer);
  }
}

function isActivity(value: unknown): value is ThreadActivity {
  if (!isObject(value)) return false;
  const { stream, nowMs, length, isWhole, unreadable, events, runs }: Partial<Record<string, unknown>> = {
    ...value,
  };
  return (
    typeof stream === 'string' &&
    typeof isWhole === 'boolean' &&
    [nowMs, length, unreadable].every(Number.isFinite) &&
    isListOf(events, (event) => isTimed(event, 'atMs') && typeof Reflect.get(event, 'type') === 'string') &&
    isListOf(runs, (run) => isTimed(run, 'lastEventAtMs') && typeof Reflect.get(run, 'runId') === 'string')
  );
}

function isListOf(value: unknown, isOne: (item: object) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => isObject(item) && isOne(item));
}

function isTimed(item: object, name: string): boolean {
  return Number.isFinite(Reflect.get(item, name));
}
