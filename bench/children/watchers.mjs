// Watchers of one backend in one process, each with connections of its own, as so many processes would have. Arguments: URL,
// number. Prints a line when all have seen the snapshot; until its stdin ends.

// Built, as it is shipped; it need not be built yet to be checked.
/** @type {typeof import('../../src/providers/redis/index.js')} */
const { RedisLeaseProvider } = await import(
  new URL('../../dist/providers/redis/index.js', import.meta.url).href
);

const [, , url = '', count = '1'] = process.argv;
const ending = new AbortController();
const seen = Array.from({ length: Number(count) }, () => {
  const provider = new RedisLeaseProvider({ url });
  return new Promise((resolve, reject) => {
    (async () => {
      for await (const change of provider.watchLeases({ signal: ending.signal })) {
        if (change.kind === 'live') resolve(undefined);
      }
    })().catch(reject);
  });
});
await Promise.all(seen);
process.stdout.write('live\n');
process.stdin.resume().once('end', () => process.exit(0));
