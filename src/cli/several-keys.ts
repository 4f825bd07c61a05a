import { isLeaseError, type LeaseError, type LeaseErrorCode } from '../lease/errors.js';
import type { KeyOutcome } from '../operations/outcome.js';
import type { KeyRequest } from '../operations/resolve-key.js';
import { failedRow } from '../output/outcome-text.js';
import { type ExitCode, exitCodeOf, exitCodeOfError, worstExitCode } from './exit-codes.js';
import type { RefusedLine } from './key-requests.js';
import type { Session } from './session.js';

/** Failures that are about one key and say nothing about the others. */
const ABOUT_ONE_KEY: readonly LeaseErrorCode[] = [
  'ERR_LEASE_INVALID_KEY',
  'ERR_LEASE_AMBIGUOUS_KEY',
  'ERR_LEASE_WRONG_TYPE',
  'ERR_LEASE_UNVERIFIED',
];

/** Whether the others of several keys can be answered all the same. */
export function isAboutOneKey(error: unknown): error is LeaseError {
  return isLeaseError(error) && ABOUT_ONE_KEY.includes(error.code);
}

/** Prints the answers of a command on several keys, in order; a key that failed is named and the others go on. */
export async function printOutcomes(
  { printer, context }: Session,
  verb: string,
  requests: readonly (KeyRequest | RefusedLine)[],
  answer: (request: KeyRequest) => Promise<KeyOutcome>,
): Promise<ExitCode> {
  const settled = await Promise.allSettled(
    requests.map((request) => (request.by === 'nothing' ? Promise.reject(request.error) : answer(request))),
  );
  const exitCodes: ExitCode[] = [];
  for (const [index, outcome] of settled.entries()) {
    if (outcome.status === 'fulfilled') {
      const exitCode = exitCodeOf(outcome.value);
      exitCodes.push(exitCode);
      await printer.outcome(outcome.value, exitCode, requests.length > 1);
      continue;
    }
    const error: unknown = outcome.reason;
    if (requests.length === 1 || !isAboutOneKey(error)) throw error;
    const exitCode = exitCodeOfError(error.code);
    exitCodes.push(exitCode);
    const request = requests[index];
    const key = request?.by === 'key' ? request.key : undefined;
    const named = request?.by === 'nothing' ? request.written : key;
    if (printer.mode === 'pipe' && named !== undefined) await printer.line(failedRow(named, error.code));
    await printer.error(error, exitCode, { verb, source: context.backend.source(), key });
  }
  await printer.source(context.backend.source());
  return worstExitCode(exitCodes);
}

/** Prints the answer of a command on one key. */
export async function printOutcome({ printer, context }: Session, outcome: KeyOutcome): Promise<ExitCode> {
  const exitCode = exitCodeOf(outcome);
  await printer.outcome(outcome, exitCode, false);
  await printer.source(context.backend.source());
  return exitCode;
}
