import { isAcquired, isRefused, namedOwner, type RecordedCall } from '../call.js';

/** Who holds the key of a lease register, and by which call; `undefined` when nobody does. */
export type RegisterState = { readonly owner: string; readonly grant: RecordedCall } | undefined;

/** One atomic step of a call: the states that it may leave; none where the call's answer does not fit the state. */
export type Move = (state: RegisterState) => readonly RegisterState[];

/** How far the end of a lease may lie from its TTL, in milliseconds. */
export interface ExpiryBounds {
  readonly earlyMs: number;
  readonly lateMs: number;
}

/** Which register a history is held against. */
export interface RegisterModel {
  /** Without it no lease ends by itself: TTLs must be longer than the history. */
  readonly expiry?: ExpiryBounds | undefined;
  /**
   * A refusal is one step, as the contract says: another owner holds the key, and it is the one that is named. Where it
   * may be made in steps it is up to three in a row: somebody held the key, it was not the caller, and who is it.
   */
  readonly refusals?: 'in steps' | undefined;
}

/** What a call may have done, as one atomic step or a few in a row; its answer decides which. */
export function movesOf(call: RecordedCall, { refusals }: RegisterModel): readonly Move[] {
  const [, owner] = call.args;
  switch (call.method) {
    case 'acquireLease':
      if (isAcquired(call)) return [(state) => changed(state, call)];
      if (!isRefused(call)) return [() => []];
      return refusals === 'in steps' ? refusalInSteps(call) : [(state) => refused(state, call)];
    case 'getLeaseOwner':
      return [(state) => (state?.owner === call.answer ? [state] : [])];
    case 'releaseLease':
      return [(state) => (state?.owner === owner ? [undefined] : [state])];
    case 'renewLease':
    case 'transferLease':
      if (call.answer === true) return [(state) => changed(state, call)];
      return [(state) => (call.answer === false && state?.owner !== owner ? [state] : [])];
  }
}

/** What a call may have done whatever it answered, nothing included. */
export function anyMove(call: RecordedCall): Move {
  return (state) => [state, ...changed(state, call)];
}

/** What a call makes of a state that lets it; nothing where the state does not. */
function changed(state: RegisterState, call: RecordedCall): readonly RegisterState[] {
  const [, owner, to] = call.args;
  const isOwner = state !== undefined && state.owner === owner;
  switch (call.method) {
    case 'acquireLease':
      return isOwner || state === undefined ? granted(owner, call) : [];
    case 'renewLease':
      return isOwner ? granted(owner, call) : [];
    case 'transferLease':
      return isOwner ? granted(to, call) : [];
    case 'releaseLease':
      return isOwner ? [undefined] : [];
    case 'getLeaseOwner':
      return [];
  }
}

function granted(owner: unknown, grant: RecordedCall): readonly RegisterState[] {
  return typeof owner === 'string' ? [{ owner, grant }] : [];
}

function refused(state: RegisterState, call: RecordedCall): readonly RegisterState[] {
  const named = namedOwner(call);
  const isAnothers = state !== undefined && state.owner !== call.args[1];
  return isAnothers && (named === undefined || named === state.owner) ? [state] : [];
}

function refusalInSteps(call: RecordedCall): readonly Move[] {
  const named = namedOwner(call);
  const isHeld: Move = (state) => (state ? [state] : []);
  const isNotTheCallers: Move = (state) => (state?.owner === call.args[1] ? [] : [state]);
  const isTheNamed: Move = (state) => (state?.owner === named ? [state] : []);
  return [isHeld, isNotTheCallers, ...(named === undefined ? [] : [isTheNamed])];
}
