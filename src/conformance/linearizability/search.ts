import { precedes, type RecordedCall } from '../call.js';
import {
  anyMove,
  type ExpiryBounds,
  type Move,
  movesOf,
  type RegisterModel,
  type RegisterState,
} from './register.js';

interface Step {
  readonly call: RecordedCall;
  readonly move: Move;
}

/**
 * Whether the calls on one key have an order in which each took effect at one moment between its beginning and its end,
 * and all answers are those of a lease register: the search of Wing and Gong, which remembers what it has tried. Every
 * client makes one call at a time, so how far each client is says which calls are in the order already.
 *
 * Where leases end, one may be over from its earliest end on, and must be after its latest; where a call may lie on
 * either side both are tried, so that a history is refused only when no moment of expiry explains it. What `ignored`
 * calls answered does not count: each may have had any effect, or none.
 */
export function isLinearizable(
  history: readonly RecordedCall[],
  model: RegisterModel = {},
  ignored: ReadonlySet<RecordedCall> = new Set(),
): boolean {
  const stepsOf = (call: RecordedCall): readonly Step[] => {
    const moves = ignored.has(call) ? [anyMove(call)] : movesOf(call, model);
    return moves.map((move) => ({ call, move }));
  };
  const clients = [...Map.groupBy(history, ({ client }) => client).values()].map((calls) =>
    calls.toSorted((a, b) => a.startOrder - b.startOrder).flatMap(stepsOf),
  );
  const tried = new Set<string>();
  const names = new Map<RecordedCall, number>(history.map((call, index) => [call, index]));

  const search = (positions: readonly number[], state: RegisterState, floorMs: number): boolean => {
    if (clients.every((steps, client) => positions[client] === steps.length)) return true;
    const seen = `${positions.join(',')}|${state ? `${state.owner}|${names.get(state.grant)}` : ''}`;
    if (tried.has(seen)) return false;
    tried.add(seen);
    return clients.some((steps, client) => {
      const step = steps[positions[client] ?? 0];
      if (!step || !isNext(step.call, clients, positions)) return false;
      const atMs = Math.max(floorMs, step.call.startMs);
      const next = positions.with(client, (positions[client] ?? 0) + 1);
      return statesAt(step.call, state, atMs, model.expiry).some((before) =>
        step.move(before).some((after) => search(next, after, atMs)),
      );
    });
  };
  return search(new Array<number>(clients.length).fill(0), undefined, Number.NEGATIVE_INFINITY);
}

/** Whether no call that is not in the order yet had ended before this one began. */
function isNext(
  call: RecordedCall,
  clients: readonly (readonly Step[])[],
  positions: readonly number[],
): boolean {
  return clients.every((steps, client) => {
    const waiting = steps[positions[client] ?? 0];
    return !waiting || waiting.call === call || !precedes(waiting.call, call);
  });
}

/** What the register may hold when the call takes effect, which is not before `atMs`. */
function statesAt(
  call: RecordedCall,
  state: RegisterState,
  atMs: number,
  bounds: ExpiryBounds | undefined,
): readonly RegisterState[] {
  if (!bounds || !state) return [state];
  const ttlMs = Number(state.grant.args.at(-1));
  const mayBeHeld = atMs <= state.grant.endMs + ttlMs + bounds.lateMs;
  const mayBeOver = call.endMs >= state.grant.startMs + ttlMs - bounds.earlyMs;
  return [...(mayBeHeld ? [state] : []), ...(mayBeOver ? [undefined] : [])];
}
