import { Writable } from 'node:stream';

/** Writes on, each line after a prefix: among the lines of a command that shares the stream, ours are to be told. */
export function prefixedLines(target: Writable, prefix: string): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Uint8Array, _encoding, done) {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      target.write(text.replace(/^(?=.)/gm, prefix));
      done();
    },
  });
}
