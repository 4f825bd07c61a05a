import type { LeaseHealth } from '../lease/health.js';
import type { Theme } from '../output/theme.js';

/** A health in the word that the table shows. */
export const HEALTH_WORD: Record<LeaseHealth, string> = { 'no-expiry': 'FOREVER', late: 'LATE', ok: 'ok' };

/** A health in its colour. */
export const HEALTH_TONE: Record<LeaseHealth, keyof Theme> = { 'no-expiry': 'bad', late: 'warn', ok: 'good' };
