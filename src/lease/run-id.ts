import { parseOwner } from './owner.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Whether an owner may be a run that has published nothing yet: a UUID, as the runtime makes them, or of the same shape as
 * the ids of runs that are known, where the application makes its own.
 */
export function isLikeRunId(owner: string, knownRunIds: readonly string[]): boolean {
  if (parseOwner(owner).kind === 'thread-owner' || UUID.test(owner)) return true;
  const shape = shapeOf(owner);
  return knownRunIds.some((runId) => shapeOf(runId) === shape);
}

/** What is left of an id when its letters and digits are all the same. */
function shapeOf(id: string): string {
  return id.replace(/[\p{L}\p{N}]/gu, 'x');
}
