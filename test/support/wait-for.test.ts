import { expect, test } from 'vitest';
import { waitFor } from './wait-for.js';

test('returns the first answer that is truthy', async () => {
  let tries = 0;
  const probe = () => {
    tries += 1;
    if (tries === 1) throw new Error('not yet');
    return tries === 3 ? 'yes' : undefined;
  };
  expect(await waitFor(probe, { everyMs: 1 })).toBe('yes');
});

test('fails at the deadline with what was waited for and how the last try failed', async () => {
  const failure = new Error('no answer');
  const waiting = waitFor(() => Promise.reject(failure), { deadlineMs: 5, everyMs: 1, what: 'the server' });
  await expect(waiting).rejects.toMatchObject({
    message: 'Waited 5 ms for the server; the last try failed: no answer',
    cause: failure,
  });
});
