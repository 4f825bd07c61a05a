import type { LeaseError } from '../../lease/errors.js';
import {
  type InspectContext,
  type Inspected,
  type Inspection,
  inspect,
} from '../../operations/inspect/inspect.js';
import { unreached } from '../../operations/inspect/pulse.js';
import type { InspectTarget } from '../../operations/inspect/target.js';
import type { InspectSetting } from '../../output/inspect/steps.js';
import { type ExitCode, exitCodeOfError } from '../exit-codes.js';
import type { RefusedLine } from '../key-requests.js';
import type { Session } from '../session.js';
import { isAboutOneKey } from '../several-keys.js';

/** What came of one of several keys. */
export type Answer =
  | { readonly inspected: Inspected }
  /** A failure that is about this key and no other. */
  | { readonly error: LeaseError; readonly key?: string };

/** Inspects one of several keys; what fails for all of them is thrown. */
export async function answerFor(
  context: InspectContext,
  target: InspectTarget | RefusedLine,
): Promise<Answer> {
  if (target.by === 'nothing') return { error: target.error };
  try {
    let last: Inspected | undefined;
    for await (const inspected of inspect(context, target)) last = inspected;
    if (!last) throw new Error('The inspection saw nothing');
    return { inspected: last };
  } catch (error) {
    if (!isAboutOneKey(error)) throw error;
    const key = target.by === 'key' ? target.key : target.by === 'word' ? target.word : undefined;
    return { error, ...(key !== undefined && { key }) };
  }
}

/** What of an answer can be watched. */
export function inspectionsOf(answer: Answer): readonly Inspection[] {
  return 'inspected' in answer && answer.inspected.key !== undefined ? [answer.inspected] : [];
}

/** The same answers as they are known after watching. */
export function withObserved(answers: readonly Answer[], seen: readonly Inspection[]): readonly Answer[] {
  const byKey = new Map(seen.map((inspection) => [inspection.key, inspection]));
  return answers.map((answer) => {
    const [before] = inspectionsOf(answer);
    const inspected = before && byKey.get(before.key);
    return inspected ? { inspected } : answer;
  });
}

/** The words' setting of a session. */
export function settingOf({ links, isReadOnlyContext }: Session, typed: object): InspectSetting {
  return { links, isReadOnlyContext, typed };
}

/** 0 whenever it could tell, whatever the verdict. */
export function exitCodeOfAnswer(answer: Answer): ExitCode {
  if ('error' in answer) return exitCodeOfError(answer.error.code);
  const { inspected } = answer;
  return inspected.key !== undefined && unreached(inspected) ? 7 : 0;
}

/** Tells what could not be answered, or not wholly; the answers themselves are printed. */
export async function printFailures(
  { printer, context }: Session,
  answers: readonly Answer[],
): Promise<void> {
  for (const answer of answers) {
    if ('error' in answer) {
      const { error, key } = answer;
      const about = { verb: 'inspect', source: context.backend.source(), key };
      await printer.error(error, exitCodeOfAnswer(answer), about);
      continue;
    }
    const { inspected } = answer;
    const error = inspected.key === undefined ? undefined : unreached(inspected);
    if (error) await printer.failure(error, 'inspect', inspected.key);
  }
}
