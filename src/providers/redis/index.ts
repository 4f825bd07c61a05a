/**
 * Leases in Redis and Valkey: standalone, Sentinel, Cluster, TLS, Unix socket.
 *
 * @packageDocumentation
 */
export type { CallBudget } from './client.js';
export type { CommandKind } from './command.js';
export type { RedisTlsOptions } from './connect-settings.js';

export { DEFAULT_KEY_PREFIX } from './keys.js';
export { type RedisLeaseOptions, RedisLeaseProvider } from './provider.js';
export type { ServerView } from './replies.js';
