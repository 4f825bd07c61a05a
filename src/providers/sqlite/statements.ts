/**
 * Each verb is one statement, so that SQLite itself makes it atomic: it takes the write lock, looks, decides and answers
 * in one step. `write_id` is unique to the call and is written only by a call that does what it says, so
 * `RETURNING write_id = $write` tells whether *this* call did it.
 *
 * `lease_now()` is the clock, read once per statement and only when the lock is held: a call that waited for the lock
 * past the end of a lease finds it expired, and cannot revive it.
 */
const ANSWER = 'RETURNING write_id = $write AS done, owner, expires_at, renewals';

const IS_FREE = 'expires_at <= lease_now()';
const IS_WON = `${IS_FREE} OR owner = excluded.owner`;

/** Claims, refreshes or refuses. Parameters: key, owner, ttl, write. */
export const ACQUIRE = `
  INSERT INTO leases (key, owner, expires_at, renewals, write_id)
  VALUES ($key, $owner, lease_now() + $ttl, 0, $write)
  ON CONFLICT (key) DO UPDATE SET
    owner = CASE WHEN ${IS_WON} THEN excluded.owner ELSE owner END,
    expires_at = CASE WHEN ${IS_WON} THEN excluded.expires_at ELSE expires_at END,
    renewals = CASE WHEN ${IS_FREE} THEN 0 WHEN ${IS_WON} THEN renewals + 1 ELSE renewals END,
    write_id = CASE WHEN ${IS_WON} THEN excluded.write_id ELSE write_id END
  ${ANSWER}`;

/** Gives back. The row stays behind, expired, until it is swept. Parameters: key, owner, write. */
export const RELEASE = changeIfOwned({ expires_at: '0' });

/** Extends. Parameters: key, owner, ttl, write. */
export const RENEW = changeIfOwned({ expires_at: 'lease_now() + $ttl', renewals: 'renewals + 1' });

/** Hands over. Parameters: key, owner, to, ttl, write. */
export const TRANSFER = changeIfOwned({ owner: '$to', expires_at: 'lease_now() + $ttl', renewals: '0' });

/** One row, expired or not. Parameters: key. */
export const READ = 'SELECT key, owner, expires_at FROM leases WHERE key = $key';

/** The rows after a key, expired or not. Parameters: after, count. */
export const PAGE = 'SELECT key, owner, expires_at FROM leases WHERE key > $after ORDER BY key LIMIT $count';

/** A number that differs once another connection has written. */
export const DATA_VERSION = 'PRAGMA data_version';

/** Removes some of what has expired; bounded, since it blocks the event loop. Parameters: count. */
export const SWEEP = `
  DELETE FROM leases WHERE key IN (SELECT key FROM leases WHERE expires_at <= lease_now() LIMIT $count)`;

/** Answers no row when nobody holds the key. */
function changeIfOwned(changes: Readonly<Record<string, string>>): string {
  const assignments = Object.entries({ ...changes, write_id: '$write' }).map(
    ([column, value]) => `${column} = CASE WHEN owner = $owner THEN ${value} ELSE ${column} END`,
  );
  return `UPDATE leases SET ${assignments.join(', ')} WHERE key = $key AND expires_at > lease_now() ${ANSWER}`;
}
