import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BackendSpec } from '../../src/backend/url.js';
import type { LeaseProvider } from '../../src/lease/provider.js';
import { killWithThisProcess } from '../support/orphan-guard.js';

/** A call of the application's provider. */
export interface ApplicationCall {
  readonly id: number;
  readonly method: keyof LeaseProvider;
  readonly args: readonly unknown[];
}

/** What came of it; the first one, of id 0, says that the application is loaded. */
export interface ApplicationAnswer {
  readonly id: number;
  readonly answer?: unknown;
  readonly error?: string;
}

const CHILD = fileURLToPath(new URL('./application-child.ts', import.meta.url));
const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));
/** Node 22.13 strips types only when asked, and warns about it. */
const STRIP_TYPES = process.features.typescript ? [] : ['--experimental-strip-types', '--no-warnings'];

/** The path of a fixture. */
export function fixture(path: string): string {
  return `${FIXTURES}${path}`;
}

/** The provider of an application that runs in a process of its own, as a server does. */
export interface ApplicationProcess extends LeaseProvider, AsyncDisposable {}

export async function startApplication(
  spec: Extract<BackendSpec, { kind: 'module' | 'mastra' }>,
  env: Readonly<Record<string, string>>,
): Promise<ApplicationProcess> {
  const child = fork(CHILD, [JSON.stringify(spec)], {
    execArgv: STRIP_TYPES,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  killWithThisProcess(child);
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const expectAnswer = (id: number): Promise<unknown> => {
    const answer = Promise.withResolvers<unknown>();
    waiting.set(id, answer);
    return answer.promise;
  };
  child.on('message', ({ id, answer, error }: ApplicationAnswer) => {
    if (error === undefined) waiting.get(id)?.resolve(answer);
    else waiting.get(id)?.reject(new Error(error));
    waiting.delete(id);
  });
  child.once('exit', (code) => {
    for (const { reject } of waiting.values())
      reject(new Error(`The application ended with ${code}: ${complaint}`));
  });
  await expectAnswer(0);

  let lastId = 0;
  const call = (method: keyof LeaseProvider, ...args: readonly unknown[]) => {
    lastId += 1;
    const answer = expectAnswer(lastId);
    child.send({ id: lastId, method, args } satisfies ApplicationCall);
    return answer;
  };
  return {
    acquireLease: async (...args) => (await call('acquireLease', ...args)) as { acquired: boolean },
    getLeaseOwner: async (...args) => (await call('getLeaseOwner', ...args)) as string | undefined,
    releaseLease: async (...args) => {
      await call('releaseLease', ...args);
    },
    renewLease: async (...args) => (await call('renewLease', ...args)) as boolean,
    transferLease: async (...args) => (await call('transferLease', ...args)) as boolean,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
    },
  };
}
