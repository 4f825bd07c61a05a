/** Maps what a source gives, at most so many at the same time; results in the source's order. The first failure ends it. */
export async function mapAtOnce<From, To>(
  source: AsyncIterable<From> | Iterable<From>,
  atOnce: number,
  map: (value: From) => Promise<To>,
): Promise<readonly To[]> {
  const results: To[] = [];
  const running = new Set<Promise<void>>();
  let count = 0;
  for await (const value of source) {
    const place = count;
    count += 1;
    const work = map(value).then((result) => {
      results[place] = result;
    });
    running.add(work);
    // One that fails stays, for the race or the end to fail with it.
    work.then(
      () => running.delete(work),
      () => {},
    );
    if (running.size >= atOnce) await Promise.race(running);
  }
  await Promise.all(running);
  return results;
}
