import { Buffer } from 'node:buffer';
import type { ThreadEvent } from '../../lease/evidence.js';
import { unexpected } from './replies.js';

/** One entry as the server keeps it. */
export interface StreamEntry {
  readonly id: string;
  readonly fields: readonly unknown[];
}

/** What is read of an event: never its content, only who did what when, and which message it is about. */
export interface StreamRecord extends ThreadEvent {
  /** Which of a run's streams (`streamId`): a resumed run has a new one. */
  readonly segment?: string;
  /** The message that it enqueues, takes up, or the ones that it cancels, by their ids. */
  readonly message?: MessageRecord;
  /** Of `run-completed`: whether the run went well, so that it has taken up what was waiting. */
  readonly isSuccess?: boolean;
}

/** What an event does to the messages that wait. */
export type MessageRecord =
  | { readonly kind: 'enqueued'; readonly id?: string; readonly offerEndsAtMs?: number }
  | { readonly kind: 'taken-up'; readonly id: string }
  | { readonly kind: 'cancelled'; readonly ids: readonly string[] | 'all' };

/** Mastra's events are some ten levels deep at the most, the tools' own data included. */
const MAX_DEPTH = 1_000;

/** Longer texts are no type and no id. */
const MAX_LENGTH = { type: 64, id: 1_024 } as const;

/** Reads what XREVRANGE returns. */
export function readEntries(reply: unknown): readonly StreamEntry[] {
  if (!Array.isArray(reply)) throw unexpected('XREVRANGE', reply);
  return reply.map((entry: unknown) => {
    const [id, fields]: unknown[] = Array.isArray(entry) ? entry : [];
    if (!Buffer.isBuffer(id) || !Array.isArray(fields) || !/^\d+-\d+$/.test(id.toString())) {
      throw unexpected('XREVRANGE', entry);
    }
    return { id: id.toString(), fields };
  });
}

/** The bytes of an entry's fields. */
export function sizeOf({ fields }: StreamEntry): number {
  return fields.reduce<number>((sum, field) => sum + (Buffer.isBuffer(field) ? field.length : 0), 0);
}

/** Reads an entry as an event; `undefined` for one that is none. Whatever is in it, nothing is thrown. */
export function readRecord({ id, fields }: StreamEntry): StreamRecord | undefined {
  try {
    const event = parseEvent(fields);
    const data = isRecord(event.data) ? event.data : {};
    const type = asText(event.type, MAX_LENGTH.type);
    const runId = type === 'signals-cancelled' ? undefined : asId(data.runId ?? event.runId);
    const process = asId(data.sourceId);
    const segment = asId(data.streamId);
    const message = readMessage(type, data);
    return {
      id,
      atMs: instantOf(id),
      type,
      ...(runId !== undefined && { runId }),
      ...(process !== undefined && { process }),
      ...(segment !== undefined && { segment }),
      ...(message && { message }),
      ...(type === 'run-completed' && { isSuccess: data.persisted !== false }),
    };
  } catch {
    return undefined;
  }
}

/** When an entry was added, on the server's clock: its id says so. */
export function instantOf(id: string): number {
  return Number(id.slice(0, id.indexOf('-')));
}

type Fields = Readonly<Record<string, unknown>>;

function parseEvent(fields: readonly unknown[]): Fields {
  const name = fields.findIndex((field, index) => index % 2 === 0 && String(field) === 'event');
  const json = fields[name + 1];
  if (name < 0 || !Buffer.isBuffer(json) || isTooDeep(json)) throw new TypeError('no event');
  const event: unknown = JSON.parse(json.toString());
  if (!isRecord(event)) throw new TypeError('no event');
  return event;
}

/**
 * A message that a run takes up is shown in that run's stream, as a data part with the message's id (measured with core
 * 1.71.0), at the start of a run and between its steps.
 */
function readMessage(type: string, data: Fields): MessageRecord | undefined {
  switch (type) {
    case 'signal-enqueued':
    case 'idle-signal-enqueued': {
      const id = isRecord(data.signal) ? asId(data.signal.id) : undefined;
      const offerEndsAtMs = type === 'idle-signal-enqueued' ? asNumber(data.expiresAt) : undefined;
      return {
        kind: 'enqueued',
        ...(id !== undefined && { id }),
        ...(offerEndsAtMs !== undefined && { offerEndsAtMs }),
      };
    }
    case 'stream-part': {
      const part = isRecord(data.part) ? data.part : {};
      if (part.type !== 'data-user-message' && part.type !== 'data-signal') return undefined;
      const id = isRecord(part.data) ? asId(part.data.id) : undefined;
      return id === undefined ? undefined : { kind: 'taken-up', id };
    }
    case 'signals-cancelled': {
      const ids: readonly unknown[] = Array.isArray(data.signalIds) ? data.signalIds : [];
      return { kind: 'cancelled', ids: ids.filter((id) => typeof id === 'string') };
    }
    case 'run-abort-requested':
      return data.clearPendingSignals === true ? { kind: 'cancelled', ids: 'all' } : undefined;
    default:
      return undefined;
  }
}

const BYTES = { quote: 0x22, backslash: 0x5c, open: [0x5b, 0x7b], close: [0x5d, 0x7d] } as const;

/** Counted before it is parsed: how deep a parser can go is not ours to say. */
function isTooDeep(json: Buffer): boolean {
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (isInText) {
      if (byte === BYTES.backslash) at += 1;
      else if (byte === BYTES.quote) isInText = false;
    } else if (byte === BYTES.quote) isInText = true;
    else if (byte === BYTES.open[0] || byte === BYTES.open[1]) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (byte === BYTES.close[0] || byte === BYTES.close[1]) depth -= 1;
  }
  return false;
}

/** An id that may be left out. @throws when it is there and is no id. */
function asId(value: unknown): string | undefined {
  return value === undefined ? undefined : asText(value, MAX_LENGTH.id);
}

function asText(value: unknown, maxLength: number): string {
  if (typeof value === 'string' && value !== '' && value.length <= maxLength) return value;
  throw new TypeError('no event');
}

function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
