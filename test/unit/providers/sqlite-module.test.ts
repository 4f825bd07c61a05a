import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { makeTempDir } from '../../support/temp-dir.js';

const PROVIDER = new URL('../../../dist/providers/sqlite/index.js', import.meta.url).href;

describe('loading node:sqlite', () => {
  it('prints nothing, on Node 22 neither', async () => {
    const { stdout, stderr } = await acquireIn('');
    expect(JSON.parse(stdout)).toEqual({ acquired: true, owner: 'a' });
    expect(stderr).toBe('');
  });

  it('keeps back its own warning only: any other comes through, even meanwhile', async () => {
    const { stderr } = await acquireIn(`
      process.emitWarning('SQLite is an experimental feature and might change at any time', 'ExperimentalWarning');
      process.emitWarning('something else is experimental', 'ExperimentalWarning');
      process.emitWarning('SQLite is mentioned', 'DeprecationWarning', 'DEP1');`);
    expect(stderr).not.toContain('SQLite is an experimental feature');
    expect(stderr).toContain('ExperimentalWarning: something else is experimental');
    expect(stderr).toContain('[DEP1] DeprecationWarning: SQLite is mentioned');
  });

  it('leaves warnings as they were when it is done', async () => {
    const { stderr } = await acquireIn(`
      await answer;
      process.emitWarning('SQLite is an experimental feature and might change at any time', 'ExperimentalWarning');`);
    expect(stderr).toContain('ExperimentalWarning: SQLite is an experimental feature');
  });
});

/** A process without types to strip, which Node 22 warns about: its stderr is the provider's alone. */
async function acquireIn(meanwhile: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
  await using directory = await makeTempDir();
  const script = `
    const [provider, path] = process.argv.slice(1);
    const { SqliteLeaseProvider } = await import(provider);
    const answer = new SqliteLeaseProvider({ path }).acquireLease('k', 'a', 60_000);
    ${meanwhile}
    console.log(JSON.stringify(await answer));`;
  const path = join(directory.path, 'leases.db');
  // To its end: the directory is removed after it.
  return await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, PROVIDER, path]);
}
