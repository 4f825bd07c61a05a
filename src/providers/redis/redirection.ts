import { ReplyFailure } from './reply-failure.js';
import type { RedisAddress, ServerAddress } from './target.js';

/** Where a cluster sends a command that it did not run: for good (the slot is there now), or this once. */
export interface Redirection {
  readonly kind: 'MOVED' | 'ASK';
  readonly slot: number;
  readonly address: ServerAddress;
}

/** Reads `MOVED 3999 host:port` or `ASK …` among the replies of the server at `from`. */
export function readRedirection(replies: readonly unknown[], from: RedisAddress): Redirection | undefined {
  for (const reply of replies) {
    if (!(reply instanceof ReplyFailure)) continue;
    const [, kind, slot, host = '', port] = /^(MOVED|ASK) (\d+) (.*):(\d+)$/.exec(reply.message) ?? [];
    if (kind === undefined) continue;
    const address = { host: hostOrOwn(host, from), port: Number(port) };
    return { kind: kind === 'ASK' ? 'ASK' : 'MOVED', slot: Number(slot), address };
  }
  return undefined;
}

/** A cluster names an empty or unknown host where it means the one that was asked. */
export function hostOrOwn(host: string, asked: RedisAddress): string {
  if (host !== '' && host !== '?') return host;
  return 'host' in asked ? asked.host : 'localhost';
}
