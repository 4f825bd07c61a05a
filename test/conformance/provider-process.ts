import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ProviderProcess } from '../../src/conformance/options.js';
import { killWithThisProcess } from '../support/orphan-guard.js';
import type { ProviderSpec } from './provider-spec.js';

const CHILD = fileURLToPath(new URL('./provider-child.ts', import.meta.url));
/** Node 22.13 strips types only when asked. */
const STRIP_TYPES = process.features.typescript ? [] : ['--experimental-strip-types', '--no-warnings'];

/** Starts another process of a run, with a provider on the same leases. */
export function startProviderProcess(spec: ProviderSpec): ProviderProcess {
  const child = fork(CHILD, [JSON.stringify(spec)], {
    execArgv: STRIP_TYPES,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  killWithThisProcess(child);
  return child;
}
