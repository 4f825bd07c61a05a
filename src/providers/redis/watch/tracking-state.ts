import { UnexpectedReplyError, UnreachableError } from '../../../lease/errors.js';

/** The failure of a server whose slots come or go. */
export function slotsMove(server: string): UnreachableError {
  return new UnreachableError(`slots are moving to or from ${server}`);
}

/** Reads CLIENT TRACKINGINFO: a redirection whose target is gone says so there, and nowhere else. */
export function assertTracking(info: readonly unknown[], server: string): void {
  const flags: unknown = info[info.findIndex((name) => String(name) === 'flags') + 1];
  const set = Array.isArray(flags) ? flags.map(String) : [];
  if (set.includes('on') && set.includes('bcast') && !set.includes('broken_redirect')) return;
  throw new UnexpectedReplyError(`${server} has stopped telling changes (${set.join(', ')})`);
}
