import type { Redis } from 'ioredis';

/** The stream of a thread under the default prefix, as Mastra names it. */
export function streamOf(threadKey: string): string {
  return `mastra:topic:agent.thread-stream.${encodeURIComponent(threadKey)}`;
}

/** An event as Mastra's runtime publishes it, with text of a user in it where there is room for any. */
export interface MadeEvent {
  readonly type: string;
  readonly runId?: string;
  /** Whatever else is in `data`: `sourceId`, `streamId`, `signal`, `part`. */
  readonly [field: string]: unknown;
}

/** The JSON of an entry's one field. */
export function eventJson(data: MadeEvent): string {
  const { type, runId = 'the thread key' } = data;
  return JSON.stringify({ type, runId, data, id: 'an-id', createdAt: new Date(0), deliveryAttempt: 1 });
}

/** Writes a history: what happened how many milliseconds before now on the server's clock, the oldest first. */
export async function writeHistory(
  client: Redis,
  threadKey: string,
  history: readonly (readonly [agoMs: number, event: MadeEvent])[],
): Promise<void> {
  const [seconds, microseconds] = await client.time();
  const nowMs = Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
  for (const [agoMs, event] of history) {
    await client.xadd(streamOf(threadKey), `${nowMs - agoMs}-*`, 'event', eventJson(event));
  }
}
