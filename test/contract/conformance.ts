import { afterAll, describe, it } from 'vitest';
import { describeLeaseProvider, REQUIREMENTS } from '../../src/conformance/index.js';
import { startProviderProcess } from '../conformance/provider-process.js';
import type { ContractSuite } from './contract-suite.js';

/** The contract, by the kit that we publish for it, with all that it leaves open. */
export function describeConformance(suite: ContractSuite): void {
  const openInRealTime = () => suite.backend.openInRealTime?.() ?? suite.backend.open();
  const startProcess = () => {
    const { spec } = suite.backend;
    if (!spec) throw new Error('The backend cannot be shared with other processes');
    return startProviderProcess(spec);
  };
  describeLeaseProvider('it', openInRealTime, {
    runner: { describe, it, afterAll },
    scope: suite.scope,
    require: REQUIREMENTS,
    ...(suite.scope !== 'process' && { startProcess }),
  });
}
