import { Buffer } from 'node:buffer';
import { type RedisClient, valueOf } from './client.js';
import { unexpected } from './replies.js';
import { formatAddress, type RedisAddress } from './target.js';

const ALL_SLOTS = 16_384;

/** A cluster's masters as one node sees them. */
export interface ClusterMasters {
  readonly masters: readonly RedisAddress[];
  readonly uncoveredSlots: number;
  /** The whole assignment of slots as text, to tell whether it changed. */
  readonly layout: string;
}

/** Asks any node which master serves which slots. */
export async function readClusterMasters(client: RedisClient): Promise<ClusterMasters> {
  const answer = await client.call({ name: 'list', kind: 'read', commands: [['cluster', 'slots']] }, 'any');
  const ranges = valueOf(answer, 'CLUSTER SLOTS');
  if (!Array.isArray(ranges)) throw unexpected('CLUSTER SLOTS', ranges);
  const masters = new Map<string, RedisAddress>();
  const layout: string[] = [];
  let covered = 0;
  for (const range of ranges) {
    const [from, to, master]: unknown[] = Array.isArray(range) ? range : [];
    if (typeof from !== 'number' || typeof to !== 'number' || !Array.isArray(master)) {
      throw unexpected('CLUSTER SLOTS', range);
    }
    const [host, port]: unknown[] = master;
    if (typeof port !== 'number') throw unexpected('CLUSTER SLOTS', master);
    const named = Buffer.isBuffer(host) ? host.toString() : '';
    // An empty or unknown host means: the one you asked.
    const address = { host: named === '' || named === '?' ? hostOf(answer.server) : named, port };
    masters.set(formatAddress(address), address);
    layout.push(`${from}-${to}=${formatAddress(address)}`);
    covered += to - from + 1;
  }
  return {
    masters: [...masters.values()],
    uncoveredSlots: ALL_SLOTS - covered,
    layout: layout.sort().join(' '),
  };
}

function hostOf(server: string): string {
  return server.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
}
