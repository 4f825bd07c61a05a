import type { Buffer } from 'node:buffer';

/** One command: its name and arguments, as they go on the wire. */
export type RedisCommand = readonly [name: string, ...args: readonly (string | Buffer)[]];

/** What a command was for, so that its failure can be told: changing a lease or only reading. */
export type CommandKind = 'read' | 'write';
