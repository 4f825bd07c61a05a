/**
 * The lease contract of Mastra, ways to detect it, and its vocabulary. The providers have their own entries:
 * `mastra-lease/redis`, `mastra-lease/sqlite` and `mastra-lease/memory`.
 *
 * @packageDocumentation
 */
export { type Clock, systemClock } from './lease/clock.js';
export {
  isLeaseInspector,
  isLeaseProvider,
  isLeaseReporter,
  type LeaseResolution,
  leaseTraitsOf,
  missingLeaseMethods,
  resolveLeaseProvider,
} from './lease/detect.js';
export * from './lease/errors.js';
