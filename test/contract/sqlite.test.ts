import { join } from 'node:path';
import { SqliteLeaseProvider } from '../../src/providers/sqlite/index.js';
import { makeTempDir } from '../support/temp-dir.js';
import { describeLeaseContract } from './lease-contract.js';
import { realTime } from './real-time.js';

describeLeaseContract('SQLite', {
  scope: 'host',
  async start() {
    const directory = await makeTempDir();
    const path = join(directory.path, 'leases.db');
    return {
      ...realTime,
      open: () => new SqliteLeaseProvider({ path, busyTimeoutMs: 10_000 }),
      spec: { kind: 'sqlite', path },
      stop: () => directory.remove(),
    };
  },
});
