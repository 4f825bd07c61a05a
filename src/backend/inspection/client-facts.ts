import type { RedisConnectionFacts } from './connection-facts.js';

/** What an application's Redis client was told. */
export interface ClientFacts {
  readonly client: 'node-redis' | 'ioredis' | 'valkey-glide';
  readonly connection: RedisConnectionFacts;
  /** What the client itself puts before every key; empty for nothing. */
  readonly clientKeyPrefix: string;
  /** No URL, host or path was given at all, so that it talks to localhost. */
  readonly builtWithoutUrl: boolean;
}
