import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../../support/wait-for.js';

/** Node 22.13 strips types only when asked, and warns about it. */
const STRIP_TYPES = process.features.typescript ? [] : ['--experimental-strip-types', '--no-warnings'];
const CHILD = fileURLToPath(new URL('./debugged-child.ts', import.meta.url));

/** Starts the child with flags of Node; `stderr()` is what it said so far. */
function startChild(...flags: readonly string[]) {
  const child = spawn(process.execPath, [...STRIP_TYPES, ...flags, CHILD], { stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += String(chunk);
  });
  return { child, stderr: () => said };
}

/** Tells it to introspect, and returns what it found. */
async function introspectIn(child: ChildProcess): Promise<unknown> {
  if (!child.stdout || !child.stdin) return expect.fail('no pipes');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  child.stdin.end('go\n');
  expect(await lines.next()).toMatchObject({ value: 'ready' });
  const { value } = await lines.next();
  return JSON.parse(String(value));
}

async function exitCodeOf(child: ChildProcess): Promise<number | null> {
  return child.exitCode ?? (await once(child, 'exit'))[0];
}

const BOTH = { prefixes: ['hidden', 'open'], left: 0 };

test('private fields are read in a plain process, which is told nothing of it', async () => {
  const { child, stderr } = startChild();
  expect(await introspectIn(child)).toEqual(BOTH);
  expect(await exitCodeOf(child)).toBe(0);
  expect(stderr()).toBe('');
});

test('private fields are read beside a debugger that is attached from outside', async () => {
  const { child, stderr } = startChild('--inspect=127.0.0.1:0');
  const address = await waitFor(() => /ws:\S+/.exec(stderr())?.[0], { what: 'the address of the debugger' });
  const attached = new WebSocket(address);
  onTestFinished(() => attached.close());
  await once(attached, 'open');
  const answers: unknown[] = [];
  attached.addEventListener('message', ({ data }) => answers.push(JSON.parse(String(data))));
  attached.send(JSON.stringify({ id: 1, method: 'Runtime.enable' }));
  attached.send(JSON.stringify({ id: 2, method: 'Debugger.enable' }));
  await waitFor(() => answers.some((answer) => JSON.stringify(answer).includes('"id":2')), {
    what: 'its answer',
  });
  expect(await introspectIn(child)).toEqual(BOTH);
  // Node waits for a debugger from outside before it ends.
  attached.close();
  expect(await exitCodeOf(child)).toBe(0);
});

test('where the debugger is not permitted, only what is not private is read', async () => {
  const { child } = startChild('--permission', '--allow-fs-read=*');
  expect(await introspectIn(child)).toEqual({ prefixes: [null, 'open'], left: 0 });
  expect(await exitCodeOf(child)).toBe(0);
});
