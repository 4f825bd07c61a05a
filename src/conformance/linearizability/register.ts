import { isAcquired, isRefused, namedOwner, type RecordedCall } from '../call.js';

/** Who holds the key of a lease register, and by which call; `undefined` when nobody does. */
export type RegisterState = { readonly owner: string; readonly grant: RecordedCall } | undefined;

/** One atomic step of a call: the state after it, or `impossible` where the call's answer does not fit the state. */
export type Move = (state: RegisterState) => RegisterState | 'impossible';

/**
 * What a call may have done, as one atomic step or a few in a row; its answer decides which. A refusal is three: somebody
 * held the key, it was not the caller, and who is it. The contract lets a backend find that out by separate commands, as
 * Mastra's own on Redis does; a grant is one step.
 */
export function movesOf(call: RecordedCall): readonly Move[] {
  const [, owner, to] = call.args;
  switch (call.method) {
    case 'acquireLease':
      return acquireMoves(call, owner);
    case 'getLeaseOwner':
      return [(state) => (state?.owner === call.answer ? state : 'impossible')];
    case 'releaseLease':
      return [(state) => (state?.owner === owner ? undefined : state)];
    case 'renewLease':
      return [(state) => changeIfOwner(state, call, owner, owner)];
    case 'transferLease':
      return [(state) => changeIfOwner(state, call, owner, to)];
  }
}

function acquireMoves(call: RecordedCall, owner: unknown): readonly Move[] {
  if (isAcquired(call)) {
    return [
      (state) =>
        typeof owner === 'string' && (state === undefined || state.owner === owner)
          ? { owner, grant: call }
          : 'impossible',
    ];
  }
  if (!isRefused(call)) return [() => 'impossible'];
  const named = namedOwner(call);
  return [
    (state) => state ?? 'impossible',
    (state) => (state?.owner === owner ? 'impossible' : state),
    ...(named === undefined
      ? []
      : [(state: RegisterState) => (state?.owner === named ? state : 'impossible')]),
  ];
}

function changeIfOwner(
  state: RegisterState,
  call: RecordedCall,
  from: unknown,
  to: unknown,
): RegisterState | 'impossible' {
  const isOwner = state !== undefined && state.owner === from;
  if (call.answer === false) return isOwner ? 'impossible' : state;
  if (call.answer !== true || !isOwner || typeof to !== 'string') return 'impossible';
  return { owner: to, grant: call };
}

/** Whether a call left the register's owner as it was, whatever it was: without it the rest must still add up. */
export function changesNothing(call: RecordedCall): boolean {
  return (
    call.method === 'getLeaseOwner' ||
    (call.method === 'acquireLease' && isRefused(call)) ||
    (call.method === 'renewLease' && call.answer === false) ||
    (call.method === 'transferLease' && call.answer === false)
  );
}
