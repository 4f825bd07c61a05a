/** A process of its own on a lease database. It runs the built provider, since Node does not map `.js` to `.ts`. */
import { appendFileSync, chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Attempt, ContendTask, Holding, SqliteTask } from './sqlite-task.js';

const url = new URL('../../../dist/providers/sqlite/index.js', import.meta.url).href;
const { SqliteLeaseProvider }: typeof import('../../../src/providers/sqlite/index.js') = await import(url);

const task: SqliteTask = JSON.parse(process.argv[2] ?? '');
if (task.task === 'try-unprivileged') await tryUnprivileged(task.directory);
else if (task.task === 'fill') await fill(task.path);
else if (task.task === 'lock') await lock(task.path, task.holdMs);
else await contend(task);

async function tryUnprivileged(directory: string): Promise<void> {
  if (process.getuid?.() === 0) {
    process.setgid?.(65_534);
    process.setuid?.(65_534);
  }
  const unwritable = join(directory, 'unwritable');
  mkdirSync(unwritable, { mode: 0o500 });
  const attempts: Record<string, Attempt> = {
    'no file, unwritable directory': await attempt(join(unwritable, 'leases.db')),
    'no directory, unwritable parent': await attempt(join(unwritable, 'deeper', 'leases.db')),
  };

  const closed = join(directory, 'closed');
  await attempt(join(closed, 'leases.db'));
  chmodSync(closed, 0o500);
  attempts['read, unwritable directory'] = await attempt(join(closed, 'leases.db'), 'read');
  chmodSync(closed, 0o700);
  chmodSync(join(closed, 'leases.db'), 0o400);
  attempts['write, unwritable file'] = await attempt(join(closed, 'leases.db'));
  chmodSync(join(closed, 'leases.db'), 0);
  attempts['read, unreadable file'] = await attempt(join(closed, 'leases.db'), 'read');
  chmodSync(closed, 0);
  attempts['read, unsearchable directory'] = await attempt(join(closed, 'leases.db'), 'read');
  chmodSync(closed, 0o700);
  chmodSync(unwritable, 0o700);
  process.stdout.write(JSON.stringify(attempts));
}

async function attempt(path: string, access: 'read' | 'write' = 'write'): Promise<Attempt> {
  const leases = new SqliteLeaseProvider({ path, access });
  try {
    const answer =
      access === 'read' ? await leases.readLease('k') : await leases.acquireLease('k', 'a', 60_000);
    return { answer: answer ?? 'free' };
  } catch (error) {
    return describe(error);
  } finally {
    await leases.close();
  }
}

async function fill(path: string): Promise<void> {
  const leases = new SqliteLeaseProvider({ path });
  await leases.acquireLease('first', 'a', 60_000);
  for (let index = 0; ; index += 1) {
    try {
      await leases.acquireLease(`k${index}`, 'x'.repeat(100_000), 60_000);
    } catch (error) {
      print(describe(error));
      break;
    }
  }
  print({ answer: await leases.getLeaseOwner('first') });
  await leases.close();
}

async function lock(path: string, holdMs: number): Promise<void> {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(path);
  await messageFromParent('ready');
  database.exec('BEGIN IMMEDIATE');
  process.send?.('locked');
  await setTimeout(holdMs);
  database.exec('COMMIT');
  database.close();
  process.disconnect();
}

async function contend({ path, log, keys, ttlMs, forMs, dieAtHolding }: ContendTask): Promise<void> {
  const leases = new SqliteLeaseProvider({ path, busyTimeoutMs: 10_000 });
  const { pid } = process;
  const write = (line: Holding) => appendFileSync(log, `${JSON.stringify(line)}\n`);
  await leases.getLeaseOwner('k');
  await messageFromParent('ready');
  const endsAt = performance.now() + forMs;
  for (let holdings = 1; performance.now() < endsAt; ) {
    for (const key of keys) {
      const sentAt = Date.now();
      const { acquired } = await leases.acquireLease(key, `${pid}`, ttlMs);
      const gotAt = Date.now();
      if (acquired && gotAt - sentAt < ttlMs / 2) {
        write({ at: 'enter', key, pid, sentAt, gotAt });
        if (holdings === dieAtHolding) process.kill(pid, 'SIGKILL');
        await setImmediate();
        write({ at: 'leave', key, pid });
        await leases.releaseLease(key, `${pid}`);
        holdings += 1;
      }
    }
    await setImmediate();
  }
  await leases.close();
  process.disconnect();
}

function messageFromParent(ready: string): Promise<void> {
  process.once('disconnect', () => process.exit());
  return new Promise((resolve) => {
    process.once('message', () => resolve());
    process.send?.(ready);
  });
}

function describe(error: unknown): Attempt {
  if (!(error instanceof Error)) return { code: 'none', message: String(error), remedy: undefined };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  const remedy = 'remedy' in error && typeof error.remedy === 'string' ? error.remedy : undefined;
  return { code, message: error.message, remedy };
}

function print(attempt: Attempt): void {
  process.stdout.write(`${JSON.stringify(attempt)}\n`);
}
