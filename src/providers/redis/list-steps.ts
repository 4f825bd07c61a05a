import { Buffer } from 'node:buffer';
import { replyOf } from './call-answer.js';
import type { CallAnswer, RedisClient, Route } from './client.js';
import type { RedisCommand } from './command.js';
import { unexpected } from './replies.js';
import { isFailure } from './reply-failure.js';
import { isRefusal, type ScriptRunner } from './script-runner.js';
import { listStep } from './scripts.generated.js';

/**
 * How much one step does: up to SCANS scans of COUNT keys, or until LEASES leases were met. Reading a lease costs the
 * server about twenty times what passing a key does, so the second bound holds where every key is a lease.
 */
const COUNT = 100;
const SCANS = 16;
const LEASES = 100;

/** Keys per SCAN where scripts are refused: each command is then a step of its own. */
const PLAIN_COUNT = 1000;

/** One record that a step met. Without `owner` it could not be read on this server: its slot is moving. */
export interface Entry {
  readonly record: Buffer;
  readonly owner: Buffer | undefined;
  readonly pttl: number;
}

/** What one step of a listing brought, and by which connection. */
export interface Step extends Pick<CallAnswer, 'view' | 'server' | 'connectionId'> {
  readonly cursor: string;
  readonly scannedKeys: number;
  readonly entries: readonly Entry[];
}

/** Makes the steps of a listing: by one read-only script each, or by SCAN, GET and PTTL where scripts are refused. */
export class ListSteps {
  readonly #client: RedisClient;
  readonly #scripts: ScriptRunner;
  readonly #pattern: string;
  #scriptsRefused = false;

  constructor(client: RedisClient, scripts: ScriptRunner, pattern: string) {
    this.#client = client;
    this.#scripts = scripts;
    this.#pattern = pattern;
  }

  async next(route: Route, cursor: string): Promise<Step> {
    if (!this.#scriptsRefused) {
      const args = [cursor, this.#pattern, String(COUNT), String(SCANS), String(LEASES)];
      const answer = await this.#scripts.run(listStep, { name: 'list', kind: 'read', route, args });
      if (!isRefusal(answer.replies[0])) return { ...answer, ...readStep(replyOf(answer, 'list')) };
      this.#scriptsRefused = true;
    }
    return this.#plainStep(route, cursor);
  }

  async #plainStep(route: Route, cursor: string): Promise<Step> {
    const scan: RedisCommand = [
      'scan',
      cursor,
      'MATCH',
      this.#pattern,
      'COUNT',
      String(PLAIN_COUNT),
      'TYPE',
      'string',
    ];
    const scanned = await this.#client.call({ name: 'list', kind: 'read', commands: [scan] }, route);
    const { next, records } = readPage(replyOf(scanned, 'SCAN'));
    const page = { ...scanned, cursor: next, scannedKeys: PLAIN_COUNT };
    if (records.length === 0) return { ...page, entries: [] };
    const commands = records.flatMap((record): RedisCommand[] => [
      ['get', record],
      ['pttl', record],
    ]);
    const read = await this.#client.call({ name: 'list', kind: 'read', commands }, route);
    const entries = records.flatMap((record, index): Entry[] => {
      const own = read.replies.slice(2 * index, 2 * index + 2);
      if (own.some((reply) => isFailure(reply, 'MOVED', 'ASK', 'TRYAGAIN'))) {
        return [{ record, owner: undefined, pttl: -3 }];
      }
      if (own[0] === null || isFailure(own[0], 'WRONGTYPE')) return [];
      const owner = replyOf(read, 'GET', 2 * index);
      const pttl = replyOf(read, 'PTTL', 2 * index + 1);
      if (!Buffer.isBuffer(owner) || typeof pttl !== 'number') throw unexpected('GET', owner);
      return [{ record, owner, pttl }];
    });
    // The connection may have been replaced in between: the cursor stays the scanned server's, the doubt is either's.
    const { view, server } = scanned.view.role === 'primary' ? read : scanned;
    return { ...page, view, server, entries };
  }
}

/** Reads what the listing script returns. */
function readStep(reply: unknown): Pick<Step, 'cursor' | 'scannedKeys' | 'entries'> {
  if (!Array.isArray(reply)) throw unexpected('list', reply);
  const [cursor, scans, found]: unknown[] = reply;
  if (!Buffer.isBuffer(cursor) || typeof scans !== 'number' || !Array.isArray(found))
    throw unexpected('list', reply);
  const entries: Entry[] = [];
  for (let i = 0; i + 2 < found.length; i += 3) {
    const [record, owner, pttl]: unknown[] = found.slice(i, i + 3);
    if (!Buffer.isBuffer(record) || !Buffer.isBuffer(owner) || typeof pttl !== 'number')
      throw unexpected('list', found);
    entries.push({ record, owner: pttl === -3 ? undefined : owner, pttl });
  }
  return { cursor: cursor.toString(), scannedKeys: scans * COUNT, entries };
}

/** Reads what SCAN returns. */
function readPage(reply: unknown): { next: string; records: Buffer[] } {
  if (!Array.isArray(reply)) throw unexpected('SCAN', reply);
  const [next, records]: unknown[] = reply;
  if (!Buffer.isBuffer(next) || !Array.isArray(records)) throw unexpected('SCAN', reply);
  return { next: next.toString(), records: records.filter((record) => Buffer.isBuffer(record)) };
}
