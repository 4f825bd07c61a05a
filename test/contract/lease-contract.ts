import { afterAll, beforeAll, describe } from 'vitest';
import { describeClosing } from './closing.js';
import { describeConformance } from './conformance.js';
import { describeContention } from './contention.js';
import { type ContractHarness, ContractSuite } from './contract-suite.js';
import { describeExpiry } from './expiry.js';
import { describeKeysAndOwners } from './keys-and-owners.js';
import { describeListing } from './listing.js';
import { describeReports } from './reports.js';
import { describeTtls } from './ttls.js';
import { describeWatching } from './watching.js';

/**
 * The one behaviour suite: what a provider must do, whatever it keeps its leases in. The contract itself is the published
 * conformance kit; the rest is what our own providers promise beyond it.
 */
export function describeLeaseContract(name: string, harness: ContractHarness): void {
  describe(`the lease contract on ${name}`, () => {
    const suite = new ContractSuite(harness);
    beforeAll(() => suite.start());
    afterAll(() => suite.stop());
    describeConformance(suite);
    describeReports(suite);
    describeContention(suite);
    describeExpiry(suite);
    describeKeysAndOwners(suite);
    describeTtls(suite);
    describeListing(suite);
    describeWatching(suite);
    describeClosing(suite);
  });
}
