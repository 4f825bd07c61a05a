import { buffer } from 'node:stream/consumers';
import { InvalidKeyError } from '../../lease/errors.js';
import { parseKey } from '../../lease/key.js';
import type { InspectTarget } from '../../operations/inspect/target.js';
import { THREAD_FORM } from '../../operations/watch-target.js';
import { printable } from '../../output/printable.js';
import type { CliIo } from '../io.js';
import { type RefusedLine, readKeyLine, readKeyRequest, splitLines } from '../key-requests.js';
import type { KeyOptions } from '../options.js';
import { UsageError } from '../usage-error.js';

/**
 * Reads what to inspect from stdin, one a line: a key as it is written, a thread's id, or an object with a key as
 * `list --json` prints it. What was named already is not named again.
 */
export async function readInspectTargets(
  options: KeyOptions,
  { stdin }: Pick<CliIo, 'stdin'>,
): Promise<readonly (InspectTarget | RefusedLine)[]> {
  const lines = splitLines(await buffer(stdin)).flatMap(
    (line, index): readonly (InspectTarget | RefusedLine)[] => {
      const isPlain = line !== undefined && line.trim() !== '' && !line.startsWith('{');
      if (!isPlain) return readKeyLine(line, index + 1, options);
      return [readWord(line.replace(/\r$/, ''), index + 1, options)];
    },
  );
  const [first] = lines;
  if (first === undefined) throw new UsageError('Expected keys or thread ids on stdin, one a line, got none');
  if (first.by === 'nothing' && lines.every(({ by }) => by === 'nothing')) throw first.error;
  return [...new Map(lines.map((line) => [nameOf(line), line])).values()];
}

/** A word that is no thread's key is a key where it is held as one, else the id of a thread. */
function readWord(written: string, number: number, options: KeyOptions): InspectTarget | RefusedLine {
  try {
    const request = readKeyRequest(written, options);
    if (request.by === 'thread' || request.literal) return request;
    const isKey = parseKey(request.key).kind !== 'other' || request.key.startsWith(THREAD_FORM);
    return isKey ? request : { by: 'word', word: request.key };
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof InvalidKeyError)) throw error;
    const message = `stdin line ${number}: ${error.message}`;
    return { by: 'nothing', written: printable(written), error: new InvalidKeyError(message) };
  }
}

/** What is asked about; who held it when it was listed makes no difference. */
function nameOf(line: InspectTarget | RefusedLine): string {
  if (line.by === 'key') return JSON.stringify(['key', line.key]);
  return line.by === 'nothing' ? line.error.message : JSON.stringify(line);
}
