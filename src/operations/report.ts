import type { Lease } from '../lease/inspector.js';
import type { SettledReport } from './settle.js';

/** The lease after a write, as the write's report tells it. */
export function leaseFrom(
  key: string,
  report: SettledReport,
): { readonly lease?: Lease; readonly readBack?: true } {
  const { holder, remainingMs = null, readBack } = report;
  return {
    ...(holder !== undefined && { lease: { key, owner: holder, remainingMs } }),
    ...(readBack && { readBack }),
  };
}
