import calculateSlot from 'cluster-key-slot';
import { systemClock } from '../../lease/clock.js';
import { Deadline } from '../../lease/deadline.js';
import { ClosedError, UnreachableError, UnverifiedError } from '../../lease/errors.js';
import { type Answer, type ConnectOptions, type RedisCommand, RedisConnection } from './connection.js';
import {
  type CommandKind,
  connectedToReplica,
  ReplyFailure,
  replyFailure,
  TransportError,
  transportFailure,
} from './errors.js';
import { hasChanged, type ServerView } from './replies.js';
import { formatAddress, type RedisAddress, type RedisTarget } from './target.js';

/** Milliseconds that one call may take, connecting included. */
export type CallBudget = (kind: CommandKind) => number;

/** What a call asks of the servers. */
export interface Call {
  /** The verb as it is named in messages. */
  readonly name: string;
  readonly kind: CommandKind;
  readonly commands: readonly RedisCommand[];
}

/** Where a call goes: to whichever server has this record, or to this very server. */
export type Route = { readonly record: string } | { readonly server: RedisAddress } | 'any';

/** A call's answer, and who gave it. */
export interface CallAnswer {
  readonly view: ServerView;
  readonly replies: readonly unknown[];
  readonly server: string;
  /** Which connection it came by: a cursor of one server means nothing to the next. */
  readonly connectionId: number;
}

interface Attempt {
  readonly connection: RedisConnection;
  /** Whether it was open before this call, so that its death or its server's demotion may be old news. */
  readonly reused: boolean;
}

const ASKING: RedisCommand = ['asking'];

/** How often one call follows a redirection or replaces a stale connection before it gives up. */
const MAX_ATTEMPTS = 6;

/**
 * Sends calls to the server that has to answer them: it connects when needed, follows a cluster's redirections (a
 * redirected command was not executed), and opens a stale connection anew. A write that was sent is never sent again.
 */
export class RedisClient {
  readonly #target: RedisTarget;
  readonly #options: ConnectOptions;
  readonly #budget: CallBudget;
  readonly #opening = new Map<string, Promise<RedisConnection>>();
  readonly #held = new Map<string, RedisConnection>();
  readonly #slots = new Map<number, RedisAddress>();
  #closed = false;
  #view: ServerView | undefined;

  constructor(target: RedisTarget, options: ConnectOptions, budget: CallBudget) {
    this.#target = target;
    this.#options = options;
    this.#budget = budget;
  }

  /** What the server that answered last said of itself. */
  get view(): ServerView | undefined {
    return this.#view;
  }

  async call(call: Call, route: Route): Promise<CallAnswer> {
    const deadline = Deadline.after(this.#budget(call.kind), systemClock);
    const slot = typeof route === 'object' && 'record' in route ? calculateSlot(route.record) : undefined;
    let redirection: Redirection | undefined;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const cached = slot === undefined ? undefined : this.#slots.get(slot);
      const to =
        redirection?.address ?? (typeof route === 'object' && 'server' in route ? route.server : cached);
      let opened: Attempt;
      try {
        opened = await this.#connectionTo(to, deadline, call);
      } catch (error) {
        if (slot === undefined || to === undefined || to !== cached) throw error;
        this.#slots.delete(slot);
        redirection = undefined;
        continue;
      }
      const { connection, reused } = opened;
      const commands = redirection?.kind === 'ASK' ? [ASKING, ...call.commands] : call.commands;
      let answer: Answer;
      try {
        answer = await connection.request(commands, deadline);
      } catch (error) {
        this.#drop(connection);
        if (!(error instanceof TransportError)) throw error;
        // A kept connection may have died while idle: what was not sent, or only reads, may go out on a new one.
        if (reused && (!error.sent || call.kind === 'read') && deadline.remainingMs() > 0) continue;
        throw transportFailure(error, call.kind, call.name, connection.server);
      }
      const replies = answer.replies.slice(commands.length - call.commands.length);
      redirection = slot === undefined ? undefined : readRedirection(replies, connection.address);
      if (redirection) {
        if (redirection.kind === 'MOVED') this.#slots.set(redirection.slot, redirection.address);
        continue;
      }
      this.#view = answer.view;
      const demoted = answer.view.role === 'replica' || replies.some((reply) => isReply(reply, 'READONLY'));
      if (demoted && reused && !replies.some(hasChanged)) {
        // It became a replica under the open connection: names are resolved anew, Sentinels asked again.
        this.#drop(connection);
        continue;
      }
      return { view: answer.view, replies, server: connection.server, connectionId: connection.id };
    }
    throw new UnreachableError(
      `${call.name}: the cluster redirected it ${MAX_ATTEMPTS} times; nothing was changed`,
      {
        remedy: 'are slots moving? try again',
      },
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const connection of this.#held.values()) connection.close();
    this.#held.clear();
    await Promise.allSettled(this.#opening.values());
  }

  /** The open connection to `address`, or a new one; calls that need it at the same time share one attempt. */
  async #connectionTo(address: RedisAddress | undefined, deadline: Deadline, call: Call): Promise<Attempt> {
    this.#assertOpen(call);
    const key = address === undefined ? '' : formatAddress(address);
    const held = this.#held.get(key);
    if (held?.isOpen) return { connection: held, reused: true };
    let opening = this.#opening.get(key);
    if (!opening) {
      opening = this.#open(address, deadline).finally(() => this.#opening.delete(key));
      this.#opening.set(key, opening);
    }
    try {
      const connection = await opening;
      if (this.#closed) connection.close();
      this.#assertOpen(call);
      this.#held.set(key, connection);
      return { connection, reused: false };
    } catch (error) {
      throw error instanceof TransportError
        ? transportFailure(error, call.kind, call.name, this.#nameOf(address))
        : error;
    }
  }

  #assertOpen(call: Call): void {
    if (this.#closed) throw new ClosedError(`${call.name}: the provider was closed; nothing was sent`);
  }

  #nameOf(address: RedisAddress | undefined): string {
    return address === undefined ? this.#target.name : formatAddress(address);
  }

  async #open(address: RedisAddress | undefined, deadline: Deadline): Promise<RedisConnection> {
    const { via } = this.#target;
    if (address !== undefined)
      return RedisConnection.openServer(address, this.#target, this.#options, deadline);
    if (via.kind === 'sentinels')
      return RedisConnection.openPrimary(via, this.#target, this.#options, deadline);
    let failure: unknown;
    for (const [index, seed] of via.addresses.entries()) {
      // A seed that swallows packets must leave time for the others.
      const share = deadline.remainingMs() / (via.addresses.length - index);
      try {
        return await RedisConnection.openServer(
          seed,
          this.#target,
          this.#options,
          Deadline.after(share, systemClock),
        );
      } catch (error) {
        failure = error;
        if (!(error instanceof TransportError)) throw error;
      }
    }
    throw failure;
  }

  #drop(connection: RedisConnection): void {
    connection.close();
    for (const [key, held] of this.#held) if (held === connection) this.#held.delete(key);
  }
}

/** The value of an answer's reply; an error reply is thrown as what it means for the caller. */
export function valueOf({ replies, server }: CallAnswer, command: string, index = 0): unknown {
  const reply = replies[index];
  if (reply instanceof ReplyFailure) throw replyFailure(reply, { command, server });
  return reply;
}

/**
 * What a server does not have is "free" only when it is known to be the primary.
 *
 * @throws `ERR_LEASE_UNREACHABLE` from a replica, `ERR_LEASE_UNVERIFIED` from a server of unknown role.
 */
export function assertPrimary({ view, server }: Pick<CallAnswer, 'view' | 'server'>, command: string): void {
  if (view.role === 'replica') throw connectedToReplica(command, server);
  if (view.role === 'unverified') {
    throw new UnverifiedError(
      `${command}: no lease was seen on ${server}, but it does not say whether it is the primary, so that is no proof`,
      { remedy: 'a proxy or a Redis before 6: ask the primary directly' },
    );
  }
}

interface Redirection {
  readonly kind: 'MOVED' | 'ASK';
  readonly slot: number;
  readonly address: RedisAddress;
}

/** Reads `MOVED 3999 host:port` or `ASK …`; an empty or unknown host means the one that answered. */
function readRedirection(
  replies: readonly unknown[],
  from: RedisAddress | undefined,
): Redirection | undefined {
  for (const reply of replies) {
    if (!(reply instanceof ReplyFailure)) continue;
    const match = /^(MOVED|ASK) (\d+) (.*):(\d+)$/.exec(reply.message);
    const [, kind, slot, host, port] = match ?? [];
    if (kind === undefined || host === undefined) continue;
    const sameHost = from !== undefined && 'host' in from ? from.host : 'localhost';
    return {
      kind: kind === 'ASK' ? 'ASK' : 'MOVED',
      slot: Number(slot),
      address: { host: host === '' || host === '?' ? sameHost : host, port: Number(port) },
    };
  }
  return undefined;
}

function isReply(reply: unknown, kind: string): boolean {
  return reply instanceof ReplyFailure && reply.is(kind);
}
