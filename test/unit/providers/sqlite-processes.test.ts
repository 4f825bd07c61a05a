import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { makeTempDir } from '../../support/temp-dir.js';
import { startSqliteTask } from './sqlite-process.js';
import type { ContendTask, Holding } from './sqlite-task.js';

const PROCESSES = 8;
const TTL_MS = 250;

describe('the SQLite provider among processes', () => {
  it('keeps to one holder at a time among 8 processes at once, of which half are killed with SIGKILL', async () => {
    await using directory = await makeTempDir();
    const path = join(directory.path, 'leases.db');
    const log = join(directory.path, 'log');
    const task: ContendTask = { task: 'contend', path, log, keys: ['x', 'y'], ttlMs: TTL_MS, forMs: 2_500 };
    const children = await Promise.all(
      // Two end while they hold a lease, at a moment of their own.
      Array.from({ length: PROCESSES }, (_, index) =>
        startSqliteTask(index < 2 ? { ...task, dieAtHolding: 3 + 2 * index } : task),
      ),
    );
    const exits = children.map((child) => once(child, 'exit'));
    for (const child of children) child.send('go');
    // Two more, wherever they happen to be.
    for (const child of children.slice(2, 4)) {
      await setTimeout(400);
      child.kill('SIGKILL');
    }
    const killedAt = Date.now();
    const codes = (await Promise.all(exits)).map(([code, signal]) => code ?? signal);

    expect(codes).toEqual([...Array(4).fill('SIGKILL'), ...Array(4).fill(0)]);
    const holdings = readFileSync(log, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line): Holding => JSON.parse(line));
    expect(overlaps(holdings)).toEqual([]);
    const killed = new Set(children.slice(0, 4).map(({ pid }) => pid));
    const afterwards = holdings.filter(
      (one) => one.at === 'enter' && one.gotAt > killedAt && !killed.has(one.pid),
    );
    expect(new Set(afterwards.map(({ key }) => key))).toEqual(new Set(['x', 'y']));
    const database = new DatabaseSync(path);
    expect({ ...database.prepare('PRAGMA integrity_check').get() }).toEqual({ integrity_check: 'ok' });
    database.close();
  }, 30_000);
});

/** Where a key was claimed while another process still had it and its lease was not over. */
function overlaps(holdings: readonly Holding[]): readonly string[] {
  const held = new Map<string, Extract<Holding, { at: 'enter' }>>();
  const found: string[] = [];
  for (const [line, holding] of holdings.entries()) {
    const current = held.get(holding.key);
    if (holding.at === 'leave') {
      if (current?.pid === holding.pid) held.delete(holding.key);
      continue;
    }
    if (current && holding.gotAt < current.sentAt + TTL_MS) {
      found.push(`line ${line}: ${holding.pid} got ${holding.key} while ${current.pid} held it`);
    }
    held.set(holding.key, holding);
  }
  return found;
}
