import { setTimeout } from 'node:timers/promises';

/** How often a difference is looked at again before it counts: leases change between two reads, replicas lag. */
export const LOOKS_AGAIN = 3;

const PAUSES_MS = [10, 50, 250];

/** Lets a change arrive before the next look; `looks` have been made since the first. */
export async function pauseBeforeLook(looks: number): Promise<void> {
  await setTimeout(PAUSES_MS[looks] ?? 0);
}
