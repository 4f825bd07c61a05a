import type { Buffer } from 'node:buffer';
import type { Deadline } from '../../lease/deadline.js';
import { replyOf } from './call-answer.js';
import type { CallAnswer, RedisClient, Route } from './client.js';
import type { CommandKind, RedisCommand } from './command.js';
import { isFailure } from './reply-failure.js';
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
  readonly route: Route;
  readonly args: readonly string[];
  readonly deadline?: Deadline;
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
    const { deadline = this.#client.deadline(call.kind) } = call;
    if (this.#kept && !this.#hashRefused) {
      const answer = await this.#send('evalsha', script.sha1, { ...call, deadline });
      const [reply] = answer.replies;
      this.#hashRefused = isFailure(reply, 'NOPERM', 'unknown command');
      if (!this.#hashRefused && !isFailure(reply, 'NOSCRIPT')) return answer;
    }
    return this.#send('eval', script.source, { ...call, deadline });
  }

  /** Reads owner and time left: by a script, or by GET and PTTL for a user who may run none. One round trip either way. */
  async read(record: string | Buffer): Promise<CallAnswer & { readonly lease: unknown }> {
    const deadline = this.#client.deadline('read');
    const route = { record };
    if (!this.#readRefused) {
      const answer = await this.run(readLease, { name: 'read', kind: 'read', route, args: [], deadline });
      if (!isRefusal(answer.replies[0])) return { ...answer, lease: replyOf(answer, 'read') };
      this.#readRefused = true;
    }
    const commands: RedisCommand[] = [
      ['get', record],
      ['pttl', record],
    ];
    const answer = await this.#client.call({ name: 'read', kind: 'read', commands, deadline }, route);
    const owner = replyOf(answer, 'GET', 0);
    return { ...answer, lease: owner === null ? [] : [owner, replyOf(answer, 'PTTL', 1)] };
  }

  #send(command: 'eval' | 'evalsha', script: string, { name, kind, route, args, deadline }: ScriptCall) {
    const keys = typeof route === 'object' && 'record' in route ? ['1', route.record] : ['0'];
    return this.#client.call(
      { name, kind, commands: [[command, script, ...keys, ...args]], deadline },
      route,
    );
  }
}

/** Whether the server does not let this user run scripts, or has them disabled. */
export function isRefusal(reply: unknown): boolean {
  return isFailure(reply, 'NOPERM', "can't run this command", 'unknown command');
}
