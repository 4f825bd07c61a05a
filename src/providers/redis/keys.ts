/** The prefix under which Mastra's `RedisStreamsPubSub` keeps its topics and leases by default. */
export const DEFAULT_KEY_PREFIX = 'mastra:topic';

/** The text before a lease's key in its record's name: the record is what Mastra writes, `<keyPrefix>:lease:<key>`. */
export function leaseRecordPrefix(keyPrefix: string): string {
  return `${keyPrefix}:lease:`;
}

/** A SCAN pattern for all records that begin with `prefix`, taken literally. */
export function recordPattern(prefix: string): string {
  return `${prefix.replace(/[\\*?[\]]/g, '\\$&')}*`;
}
