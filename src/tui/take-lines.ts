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
