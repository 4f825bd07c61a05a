import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { describeLeaseProvider } from 'mastra-lease/testing';
import { SqlLeases } from './sql-leases.ts';

const folder = mkdtempSync(join(tmpdir(), 'sql-leases-'));
const path = join(folder, 'leases.db');
after(() => rmSync(folder, { recursive: true }));

describeLeaseProvider('SqlLeases', () => new SqlLeases(path), {
  runner: { describe, it, afterAll: after },
  require: ['atomic-transfer', 'safe-ttl'],
  startProcess: () => fork(new URL('./lease-process.ts', import.meta.url), [path]),
});
