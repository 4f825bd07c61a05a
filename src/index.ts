/**
 * The lease contract of Mastra, ways to detect it, and its vocabulary. The providers have their own entries:
 * `mastra-lease/redis`, `mastra-lease/sqlite` and `mastra-lease/memory`.
 *
 * @packageDocumentation
 */
export {
  type BackendConfig,
  defineConfig,
  type LeaseConfig,
  type TlsConfig,
} from './backend/config/define-config.js';
export { type Clock, systemClock } from './lease/clock.js';
export {
  isLeaseInspector,
  isLeaseProvider,
  isLeaseReporter,
  isLeaseWatcher,
  type LeaseResolution,
  leaseTraitsOf,
  missingLeaseMethods,
  resolveLeaseProvider,
} from './lease/detect.js';
export {
  AmbiguousKeyError,
  CancelledError,
  ClosedError,
  IncompleteListingError,
  InvalidConfigError,
  InvalidKeyError,
  InvalidOwnerError,
  InvalidTtlError,
  LEASE_ERROR_CODES,
  LeaseError,
  type LeaseErrorCode,
  NotPermittedError,
  OutcomeUnknownError,
  UnexpectedReplyError,
  UnreachableError,
  UnsupportedError,
  UnverifiedError,
  WrongTypeError,
} from './lease/errors.js';
export type {
  ReadThreadOptions,
  ThreadActivity,
  ThreadEvent,
  ThreadEvidence,
  ThreadRun,
} from './lease/evidence.js';
export {
  compareWorstFirst,
  HEALTHS,
  type HealthReading,
  type LeaseHealth,
  readHealth,
} from './lease/health.js';
export {
  type HeldLease,
  type HoldClock,
  type HoldOptions,
  type HoldResult,
  holdLease,
  LeaseLostError,
  type LossReason,
} from './lease/hold.js';
export type {
  Lease,
  LeaseChange,
  LeaseInspector,
  LeaseReport,
  LeaseReporter,
  LeaseWatcher,
  ListOptions,
  ListProgress,
  SeenLease,
  WatchOptions,
} from './lease/inspector.js';
export {
  formatKey,
  isAmbiguousThread,
  KEY_KINDS,
  type KeyKind,
  type KeyParts,
  parseKey,
  type ThreadIds,
  threadKey,
} from './lease/key.js';
export { type NextStep, nextSteps } from './lease/next-steps.js';
export { type OwnerParts, parseOwner } from './lease/owner.js';
export {
  type AcquireResult,
  LEASE_METHODS,
  type LeaseMethod,
  type LeaseProvider,
  type LeaseScope,
  type LeaseTraits,
} from './lease/provider.js';
export { escapeText, type UnescapeResult, unescapeText } from './lease/text.js';
export { DEFAULT_TTL_MS, type DurationReading, MAX_TTL_MS, readDuration } from './lease/ttl.js';
export {
  DEFAULT_THRESHOLDS,
  type Judgement,
  judge,
  type ProducingRun,
  VERDICTS,
  type Verdict,
  type VerdictFacts,
  type VerdictThresholds,
} from './lease/verdict.js';
export {
  type WaitCondition,
  type WaitedSource,
  type WaitOptions,
  type WaitResult,
  waitForLease,
} from './lease/wait.js';
export {
  type InspectThreadOptions,
  inspectThread,
  type ThreadInspection,
} from './operations/inspect/thread.js';
export { noopLeaseProvider } from './providers/noop.js';
