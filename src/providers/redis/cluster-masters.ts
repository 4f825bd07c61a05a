import { Buffer } from 'node:buffer';
import { replyOf } from './call-answer.js';
import type { RedisClient } from './client.js';
import { hostOrOwn } from './redirection.js';
import { unexpected } from './replies.js';
import { formatAddress, type ServerAddress } from './target.js';

const ALL_SLOTS = 16_384;

/** A cluster's masters as one node sees them. */
export interface ClusterMasters {
  readonly masters: readonly ServerAddress[];
  readonly uncoveredSlots: number;
}

/** Asks any node which masters serve the slots. */
export async function readClusterMasters(client: RedisClient): Promise<ClusterMasters> {
  const answer = await client.call({ name: 'list', kind: 'read', commands: [['cluster', 'slots']] }, 'any');
  const ranges = replyOf(answer, 'CLUSTER SLOTS');
  if (!Array.isArray(ranges)) throw unexpected('CLUSTER SLOTS', ranges);
  const masters = new Map<string, ServerAddress>();
  let covered = 0;
  for (const range of ranges) {
    const [from, to, master]: unknown[] = Array.isArray(range) ? range : [];
    const [host, port]: unknown[] = Array.isArray(master) ? master : [];
    if (typeof from !== 'number' || typeof to !== 'number' || typeof port !== 'number') {
      throw unexpected('CLUSTER SLOTS', range);
    }
    const named = Buffer.isBuffer(host) ? host.toString() : '';
    const address = { host: hostOrOwn(named, answer.address), port };
    masters.set(formatAddress(address), address);
    covered += to - from + 1;
  }
  return { masters: [...masters.values()], uncoveredSlots: ALL_SLOTS - covered };
}

/** What a master serves, in its own words. */
export interface OwnSlots {
  /** Differs once a slot came or went, even when it came back. */
  readonly state: string;
  /** Whether a slot is on its way in or out: its keys are then on two masters. */
  readonly isMoving: boolean;
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

/** Asks a master what it serves itself: what others know of it comes late, and says nothing of slots on their way. */
export async function readOwnSlots(client: RedisClient, server: ServerAddress): Promise<OwnSlots> {
  const answer = await client.call(
    { name: 'list', kind: 'read', commands: [['cluster', 'nodes']] },
    { server },
  );
  return ownSlotsIn(replyOf(answer, 'CLUSTER NODES'));
}

/** What a CLUSTER NODES says of the master that answered it. */
export function ownSlotsIn(nodes: unknown): OwnSlots {
  const own = String(nodes)
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, , flags]) => flags?.includes('myself'));
  if (own === undefined) throw unexpected('CLUSTER NODES', nodes);
  // <id> <address> <flags> <master> <ping> <pong> <epoch> <link> <slots>…, moving slots in brackets.
  const [id, , flags, , , , epoch, , ...slots] = own;
  return {
    state: [id, flags, epoch, ...slots].join(' '),
    isMoving: slots.some((slot) => slot.startsWith('[')),
    ranges: slots.flatMap((slot) => {
      const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(slot) ?? [];
      return from === undefined ? [] : [[Number(from), Number(to)] as const];
    }),
  };
}
