import type { SeenLease } from '../lease/inspector.js';
import type { SettledReport } from './settle.js';

/** The lease after a write, as the write's report tells it. */
export function leaseFrom(
  key: string,
  report: SettledReport,
): { readonly lease?: SeenLease; readonly readBack?: true } {
  const { holder, remainingMs, readBack } = report;
  return {
    ...(holder !== undefined && {
      lease: { key, owner: holder, ...(remainingMs !== undefined && { remainingMs }) },
    }),
    ...(readBack && { readBack }),
  };
}
