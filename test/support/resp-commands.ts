const CR_LF = Buffer.from('\r\n');

/**
 * Reads the commands out of what a Redis client sends: RESP arrays of bulk strings, however the bytes are cut. Strings
 * are decoded as UTF-8.
 */
export class CommandParser {
  #rest: Buffer = Buffer.alloc(0);

  /**
   * Takes the next bytes and returns the commands that they complete.
   *
   * @throws Error when the bytes are no RESP command (TLS, for one).
   */
  push(chunk: Uint8Array): string[][] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const commands: string[][] = [];
    for (let parsed = readCommand(this.#rest); parsed; parsed = readCommand(this.#rest)) {
      commands.push(parsed.command);
      this.#rest = this.#rest.subarray(parsed.end);
    }
    return commands;
  }
}

/** The command at the start of `bytes` and where it ends, or `undefined` when it is not all there. */
function readCommand(bytes: Buffer): { readonly command: string[]; readonly end: number } | undefined {
  const header = readLength(bytes, 0, '*');
  if (!header) return undefined;
  const command: string[] = [];
  let { end } = header;
  for (let index = 0; index < header.length; index += 1) {
    const bulk = readLength(bytes, end, '$');
    if (!bulk) return undefined;
    const after = bulk.end + bulk.length;
    if (bytes.length < after + CR_LF.length) return undefined;
    command.push(bytes.toString('utf8', bulk.end, after));
    end = after + CR_LF.length;
  }
  return { command, end };
}

/** A line such as `*3` or `$5` at `start`. */
function readLength(
  bytes: Buffer,
  start: number,
  sign: '*' | '$',
): { length: number; end: number } | undefined {
  if (start >= bytes.length) return undefined;
  if (bytes.toString('latin1', start, start + 1) !== sign) throw unexpected(sign, bytes, start);
  const lineEnd = bytes.indexOf(CR_LF, start);
  if (lineEnd < 0) return undefined;
  const digits = bytes.toString('latin1', start + 1, lineEnd);
  if (!/^\d{1,9}$/.test(digits)) throw unexpected(`${sign} and a length`, bytes, start);
  return { length: Number(digits), end: lineEnd + CR_LF.length };
}

function unexpected(expected: string, bytes: Buffer, start: number): Error {
  const got = JSON.stringify(bytes.toString('latin1', start, start + 20));
  return new Error(`Expected ${expected} in a RESP command, got ${got}`);
}
