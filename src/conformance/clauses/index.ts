import type { Clause } from '../clause.js';
import { acquireNamesCaller } from './acquire-names-caller.js';
import { afterClose } from './after-close.js';
import { atomicRefusal } from './atomic-refusal.js';
import { atomicTransfer } from './atomic-transfer.js';
import { distinctKeys } from './distinct-keys.js';
import { distinctOwners } from './distinct-owners.js';
import { expiredOwner } from './expired-owner.js';
import { expiryInTime } from './expiry-in-time.js';
import { expiryNeverEarly } from './expiry-never-early.js';
import { expiryRace } from './expiry-race.js';
import { keysOfEveryKind } from './keys-of-every-kind.js';
import { linearizable } from './linearizable.js';
import { linearizableExpiry } from './linearizable-expiry.js';
import { longTtl } from './long-ttl.js';
import { methods } from './methods.js';
import { oneTransfer } from './one-transfer.js';
import { oneWinner } from './one-winner.js';
import { oneWinnerAcrossProcesses } from './one-winner-across-processes.js';
import { ownerRead } from './owner-read.js';
import { ownersOfEveryKind } from './owners-of-every-kind.js';
import { promises } from './promises.js';
import { reacquire } from './reacquire.js';
import { reacquireRefreshes } from './reacquire-refreshes.js';
import { refreshRace } from './refresh-race.js';
import { refusal } from './refusal.js';
import { refusalNamesHolder } from './refusal-names-holder.js';
import { refusalsKeepTtl } from './refusals-keep-ttl.js';
import { releaseByOther } from './release-by-other.js';
import { releaseByOwner } from './release-by-owner.js';
import { releaseIsFinal } from './release-is-final.js';
import { releaseOfNothing } from './release-of-nothing.js';
import { releaseRace } from './release-race.js';
import { renewAfterExpiry } from './renew-after-expiry.js';
import { renewByOther } from './renew-by-other.js';
import { renewByOwner } from './renew-by-owner.js';
import { renewFullTtl } from './renew-full-ttl.js';
import { renewOfNothing } from './renew-of-nothing.js';
import { renewalRace } from './renewal-race.js';
import { renewedInTime } from './renewed-in-time.js';
import { resultShapes } from './result-shapes.js';
import { safeTtl } from './safe-ttl.js';
import { traits } from './traits.js';
import { transferAfterExpiry } from './transfer-after-expiry.js';
import { transferByOther } from './transfer-by-other.js';
import { transferByOwner } from './transfer-by-owner.js';
import { transferFullTtl } from './transfer-full-ttl.js';
import { transferOfNothing } from './transfer-of-nothing.js';
import { twoInstances } from './two-instances.js';

/** All clauses, in the order in which they are tried: the levels in their order, and what closes an instance last. */
export const CLAUSES: readonly Clause[] = [
  methods,
  promises,
  traits,

  resultShapes,
  acquireNamesCaller,
  refusal,
  refusalNamesHolder,
  releaseByOwner,
  releaseByOther,
  releaseOfNothing,
  ownerRead,
  expiryNeverEarly,
  expiryInTime,
  expiredOwner,
  reacquire,
  reacquireRefreshes,
  renewByOwner,
  renewByOther,
  renewOfNothing,
  renewAfterExpiry,
  renewFullTtl,
  renewedInTime,
  transferByOwner,
  transferByOther,
  transferOfNothing,
  transferAfterExpiry,
  transferFullTtl,
  refusalsKeepTtl,
  keysOfEveryKind,
  ownersOfEveryKind,
  distinctKeys,
  distinctOwners,
  safeTtl,
  twoInstances,

  oneWinner,
  oneWinnerAcrossProcesses,
  oneTransfer,
  atomicTransfer,
  atomicRefusal,
  releaseRace,
  releaseIsFinal,
  renewalRace,
  refreshRace,
  expiryRace,

  linearizable,
  linearizableExpiry,

  longTtl,
  afterClose,
];
