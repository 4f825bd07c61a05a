/**
 * As `Promise.all`, but waits for all of them, whatever some come to, before it throws what the first one threw: nothing
 * goes on afterwards.
 */
export async function together<Working extends readonly unknown[] | []>(
  working: Working,
): Promise<{ -readonly [Index in keyof Working]: Awaited<Working[Index]> }> {
  await Promise.allSettled(working);
  return Promise.all(working);
}
