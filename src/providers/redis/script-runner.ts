import { type CallAnswer, type RedisClient, type Route, valueOf } from './client.js';
import type { RedisCommand } from './connection.js';
import { type CommandKind, ReplyFailure } from './errors.js';
import { readLease } from './scripts.generated.js';

/** A Lua script as the build inlines it: its text, and the hash by which a server remembers it. */
export interface Script {
  readonly source: string;
  readonly sha1: string;
}

/** One run of a script: on one record, or on one server where it touches many keys. */
export interface ScriptCall {
  /** The verb as it is named in messages. */
  readonly name: string;
  readonly kind: CommandKind;
  readonly record?: string;
  readonly route?: Route;
  readonly args: readonly string[];
}

/**
 * Runs scripts: by their hash on a kept connection, by their text on one that asks once. A server that has forgotten
 * a script (restart, failover, SCRIPT FLUSH) says so without running it, and gets the text.
 */
export class ScriptRunner {
  readonly #client: RedisClient;
  readonly #kept: boolean;
  #hashRefused = false;
  #readRefused = false;

  constructor(client: RedisClient, kept: boolean) {
    this.#client = client;
    this.#kept = kept;
  }

  async run(script: Script, call: ScriptCall): Promise<CallAnswer> {
    if (this.#kept && !this.#hashRefused) {
      const answer = await this.#send('evalsha', script.sha1, call);
      const [reply] = answer.replies;
      if (!(reply instanceof ReplyFailure && reply.is('NOSCRIPT', 'NOPERM'))) return answer;
      this.#hashRefused = reply.is('NOPERM');
    }
    return this.#send('eval', script.source, call);
  }

  /** Reads owner and time left: by a script, or by GET and PTTL for a user who may run none. One round trip either way. */
  async read(record: string): Promise<CallAnswer & { lease: unknown }> {
    if (!this.#readRefused) {
      const answer = await this.run(readLease, { name: 'read', kind: 'read', record, args: [] });
      const [reply] = answer.replies;
      if (!isRefusal(reply)) return { ...answer, lease: valueOf(answer, 'read') };
      this.#readRefused = true;
    }
    const commands: RedisCommand[] = [
      ['get', record],
      ['pttl', record],
    ];
    const answer = await this.#client.call({ name: 'read', kind: 'read', commands }, { record });
    const owner = valueOf(answer, 'GET', 0);
    return { ...answer, lease: owner === null ? [] : [owner, valueOf(answer, 'PTTL', 1)] };
  }

  #send(command: 'eval' | 'evalsha', script: string, { name, kind, record, route, args }: ScriptCall) {
    const keys = record === undefined ? ['0'] : ['1', record];
    return this.#client.call(
      { name, kind, commands: [[command, script, ...keys, ...args]] },
      route ?? (record === undefined ? 'any' : { record }),
    );
  }
}

/** Whether the server does not let this user run scripts, or has them disabled. */
export function isRefusal(reply: unknown): boolean {
  return reply instanceof ReplyFailure && reply.is('NOPERM', "can't run this command", 'unknown command');
}
