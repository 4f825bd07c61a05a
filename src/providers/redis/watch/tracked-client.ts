import { type Call, type CallAnswer, type ClientOptions, RedisClient, type Route } from '../client.js';
import type { RedisTarget } from '../target.js';
import type { TrackedServer } from './tracked-server.js';

/** Has a listing read the very servers that are tracked, by the connections that are open. */
export class TrackedClient extends RedisClient {
  readonly #serverFor: (route: Route) => TrackedServer;

  constructor(target: RedisTarget, options: ClientOptions, serverFor: (route: Route) => TrackedServer) {
    super(target, options);
    this.#serverFor = serverFor;
  }

  override async call(call: Call, route: Route): Promise<CallAnswer> {
    return this.#serverFor(route).call(call.commands, call.deadline ?? this.deadline(call.kind));
  }
}
