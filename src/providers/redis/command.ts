import type { Buffer } from 'node:buffer';

/** One command: its name and arguments, as they go on the wire. */
export type RedisCommand = readonly [name: string, ...args: readonly (string | Buffer)[]];

/**
 * Asks for the role of the server. With a version of the protocol, which Redis 6.0 wants and which is the one in use: only
 * the reply matters.
 */
export const HELLO: RedisCommand = ['hello', '2'];

/** What a command was for, so that its failure can be told: changing a lease or only reading. */
export type CommandKind = 'read' | 'write';
