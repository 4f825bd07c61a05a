/**
 * The lease contract as executable checks: may this backend be trusted?
 *
 * @packageDocumentation
 */
export type { LeaseScope, LeaseTraits } from '../lease/provider.js';
export { type DescribeOptions, describeLeaseProvider, type TestRunner } from './describe-lease-provider.js';
export { CONFORMANCE_LEVELS, type ConformanceLevel, REQUIREMENTS, type Requirement } from './levels.js';
export type { ConformanceOptions, ConformanceProgress, ProviderFactory, ProviderProcess } from './options.js';
export type {
  CallReport,
  ClauseReport,
  ClauseResult,
  ConformanceReport,
  Evidence,
  TransferVerdict,
} from './report.js';
export { runConformance } from './run-conformance.js';
export { type ProcessChannel, type ServeOptions, serveLeaseProvider } from './serve.js';
