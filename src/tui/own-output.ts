/**
 * The terminal's stream with a write of its own: what an application's module does to `stdout.write`, or has had done to
 * it to keep it out of the way, is not for the screen.
 */
export function ownOutput(
  stdout: NodeJS.WriteStream,
  write: ((text: string) => boolean) | undefined,
): NodeJS.WriteStream {
  if (!write) return stdout;
  const own = (text: string, ...rest: readonly unknown[]): boolean => {
    const isAccepted = write(text);
    const done = rest.find((argument) => typeof argument === 'function');
    // Writes to a terminal are synchronous: what was accepted is out.
    if (done) queueMicrotask(() => done());
    return isAccepted;
  };
  return new Proxy(stdout, {
    get(target, name) {
      if (name === 'write') return own;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/**
 * Takes what is written to a stream by others, a line at a time, and answers how to stop. A line of a logger in the
 * middle of the screen would stay there.
 */
export function takeLines(stream: NodeJS.WriteStream, onLine: (line: string) => void): () => void {
  const { write } = stream;
  let begun = '';
  const take = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    begun += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    const lines = begun.split('\n');
    begun = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') onLine(line);
    const done = rest.find((argument) => typeof argument === 'function');
    if (done) queueMicrotask(() => done());
    return true;
  };
  stream.write = take as typeof stream.write;
  return () => {
    stream.write = write;
    if (begun !== '') stream.write(begun);
  };
}
