import { existsSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runCli, startCli } from './run-cli.js';

const NODE_EVAL = [process.execPath, '-e'] as const;
const PRINT_ENV = 'console.log(JSON.stringify(process.env))';

test('gives output, exit code and stdin as they were', async () => {
  const script = 'process.stdin.pipe(process.stdout); console.error(process.argv[1]); process.exitCode = 3';
  const result = await runCli(['a b'], {
    command: [...NODE_EVAL, script],
    stdin: '{"key":"🔒"}\n{"key":"b"}\n',
  });
  expect(result).toMatchObject({ stderr: 'a b\n', exitCode: 3, signal: null });
  expect(result.json()).toEqual([{ key: '🔒' }, { key: 'b' }]);
});

test('starts in a bare environment with a home of its own, which is gone afterwards', async () => {
  vi.stubEnv('CI', 'true');
  onTestFinished(() => void vi.unstubAllEnvs());
  const [env] = (await runCli([], { command: [...NODE_EVAL, PRINT_ENV], env: { FOO: '1' } })).json();
  expect(Object.keys(env ?? {}).sort()).toEqual(['FOO', 'HOME', 'PATH', 'XDG_STATE_HOME']);
  expect(existsSync(String(env?.HOME))).toBe(false);
  const bare = await runCli([], { command: [...NODE_EVAL, PRINT_ENV], env: { HOME: undefined } });
  expect(Object.keys(bare.json()[0] ?? {})).toEqual(['PATH']);
});

test('kills what runs for too long and tells what it said', async () => {
  const command = [...NODE_EVAL, 'console.log("still here"); setInterval(() => {}, 1000)'] as const;
  await expect(runCli([], { command, timeoutMs: 500 })).rejects.toThrow(
    /ran for more than 500 ms\nstill here/,
  );
});

test('a started program can be watched and signalled', async () => {
  const script =
    'process.on("SIGTERM", () => { console.log("bye"); process.exit(7) }); console.log("up"); setInterval(() => {}, 1000)';
  await using running = await startCli([], { command: [...NODE_EVAL, script] });
  await running.waitForOutput('stdout', /up/);
  running.child.kill('SIGTERM');
  expect(await running.done).toMatchObject({ stdout: 'up\nbye\n', exitCode: 7 });
  await expect(running.waitForOutput('stdout', /never/, 100)).rejects.toThrow('it ended with 7');
});

test('a child dies with the process that started it, even when that one is killed', async () => {
  const script = `
    import { spawn } from 'node:child_process';
    import { killWithThisProcess } from ${JSON.stringify(new URL('./orphan-guard.ts', import.meta.url).href)};
    const child = spawn('sleep', ['60'], { stdio: ['ignore', 'inherit', 'ignore'] });
    killWithThisProcess(child);
    console.log('up');
  `;
  await using running = await startCli([], {
    command: [process.execPath, '--input-type=module', '--no-warnings', '-e', script],
  });
  await running.waitForOutput('stdout', /up/);
  running.child.kill('SIGKILL');
  // The child has inherited stdout, so the output is complete only when the child too is dead.
  expect(await running.done).toMatchObject({ signal: 'SIGKILL' });
});
