import type { RecordedCall } from './call.js';
import type { ClientPlan } from './endpoint.js';

/** What the process under command is told. Each order is answered by its `id`. */
export type ProcessOrder =
  /** Says what time it is there. */
  | { readonly id: number; readonly order: 'clock' }
  | { readonly id: number; readonly order: 'run'; readonly clients: readonly ClientPlan[] }
  /** Runs them over and over; answered when each has made its first call. */
  | { readonly id: number; readonly order: 'loop'; readonly clients: readonly ClientPlan[] }
  /** Ends the loop of that order; answered with its calls. */
  | { readonly id: number; readonly order: 'stop'; readonly loop: number };

/** What it answers. Times are on its own clock. */
export interface ProcessAnswer {
  readonly id: number;
  readonly nowMs?: number;
  readonly calls?: readonly RecordedCall[];
  /** It cannot do what it was told. */
  readonly problem?: string;
}

/** What a process says by itself once it listens. */
export interface ProcessReady {
  readonly ready: true;
}

export function isProcessAnswer(message: unknown): message is ProcessAnswer {
  return typeof message === 'object' && message !== null && 'id' in message && typeof message.id === 'number';
}

export function isProcessReady(message: unknown): message is ProcessReady {
  return typeof message === 'object' && message !== null && 'ready' in message && message.ready === true;
}

export function isProcessOrder(message: unknown): message is ProcessOrder {
  return isProcessAnswer(message) && 'order' in message;
}
