import type { LeaseEvent, LeaseEventType } from './watch-event.js';
import { hasRunOut, leftAt, type Moment, type Read, type Tracked } from './watch-tracked.js';

export function eventOf(
  type: LeaseEventType,
  { lease, readAtMs }: Read,
  now: Moment,
  isInferred = false,
): LeaseEvent {
  const { key, keyHex, owner, ownerHex, remainingMs } = lease;
  return {
    type,
    atMs: Math.round(now.wallMs - (now.monotonicMs - readAtMs)),
    key,
    ...(keyHex !== undefined && { keyHex }),
    owner,
    ...(ownerHex !== undefined && { ownerHex }),
    ...(remainingMs !== undefined && {
      remainingMs: remainingMs === null ? null : Math.max(0, Math.round(remainingMs)),
    }),
    ...(isInferred && { isInferred }),
  };
}

/** A lease that has a new owner, with the word that it never ends where that is so. */
export function taken(
  type: 'acquired' | 'transferred',
  read: Read,
  now: Moment,
  isInferred = false,
): readonly LeaseEvent[] {
  const event = eventOf(type, read, now, isInferred);
  return read.lease.remainingMs === null ? [event, eventOf('no-expiry', read, now, isInferred)] : [event];
}

/** One owner after another. */
export function changedHands(
  known: Tracked,
  read: Read,
  now: Moment,
  isInferred: boolean,
): readonly LeaseEvent[] {
  if (hasRunOut(known, read.readAtMs)) {
    return [goneEvent(known, read.readAtMs, now), ...taken('acquired', read, now, isInferred)];
  }
  const [event, ...others] = taken('transferred', read, now, isInferred);
  return event ? [{ ...event, previousOwner: known.lease.owner }, ...others] : others;
}

export function goneEvent(known: Tracked, readAtMs: number, now: Moment): LeaseEvent {
  const { remainingMs: _, ...lease } = known.lease;
  return eventOf(hasRunOut(known, readAtMs) ? 'expired' : 'released', { lease, readAtMs }, now, true);
}

export function lateEvent({ lease, endsAtMs }: Tracked, now: Moment): LeaseEvent {
  const { remainingMs: _, ...rest } = lease;
  const remainingMs = leftAt(endsAtMs, now.monotonicMs);
  const read = { ...rest, ...(remainingMs !== undefined && { remainingMs }) };
  return eventOf('late', { lease: read, readAtMs: now.monotonicMs }, now, true);
}
