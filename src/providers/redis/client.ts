import type { Buffer } from 'node:buffer';
import calculateSlot from 'cluster-key-slot';
import { systemClock } from '../../lease/clock.js';
import { Deadline, withinDeadline } from '../../lease/deadline.js';
import { ClosedError, InvalidConfigError, UnreachableError } from '../../lease/errors.js';
import type { CommandKind, RedisCommand } from './command.js';
import type { ConnectSettings } from './connect-settings.js';
import { type Answer, RedisConnection } from './connection.js';
import { FailoverWatch } from './failover-watch.js';
import { type Redirection, readRedirection } from './redirection.js';
import { hasChanged, type ServerView } from './replies.js';
import { isFailure } from './reply-failure.js';
import { tryInTurn } from './seeds.js';
import { findPrimary } from './sentinel.js';
import { formatAddress, type RedisAddress, type RedisTarget } from './target.js';
import { TransportError, timeout, transportFailure } from './transport-error.js';

/** Milliseconds that one call may take, connecting included. */
export type CallBudget = (kind: CommandKind) => number;

/** How a client connects. */
export interface ClientOptions extends Omit<ConnectSettings, 'signal'> {
  /** Whether the connection stays, so that Sentinels are to be watched for a failover. */
  readonly kept: boolean;
  readonly budget: CallBudget;
}

/** What a call asks of the servers. */
export interface Call {
  /** The verb as it is named in messages. */
  readonly name: string;
  readonly kind: CommandKind;
  readonly commands: readonly RedisCommand[];
  /** Default: what the budget gives for its kind. */
  readonly deadline?: Deadline | undefined;
}

/** Where a call goes: to whichever server has this record, or to this very server. */
export type Route = { readonly record: string | Buffer } | { readonly server: RedisAddress } | 'any';

/** A call's answer, and who gave it. */
export interface CallAnswer {
  readonly view: ServerView;
  readonly replies: readonly unknown[];
  readonly server: string;
  readonly address: RedisAddress;
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

/** Under which the connection is held that the target itself names, in contrast to one named by a cluster. */
const TARGET = '';

/**
 * Sends calls to the server that has to answer them: it connects when needed, follows a cluster's redirections (a
 * redirected command was not executed), and opens a stale connection anew. A write that was sent is never sent again.
 */
export class RedisClient {
  readonly #target: RedisTarget;
  readonly #options: ClientOptions;
  readonly #settings: ConnectSettings;
  readonly #closing = new AbortController();
  readonly #opening = new Map<
    string,
    { readonly connection: Promise<RedisConnection>; readonly deadline: Deadline }
  >();
  readonly #held = new Map<string, RedisConnection>();
  readonly #slots = new Map<number, RedisAddress>();
  #watch: FailoverWatch | undefined;
  #named: RedisAddress | undefined;
  #view: ServerView | undefined;

  constructor(target: RedisTarget, options: ClientOptions) {
    this.#target = target;
    this.#options = options;
    this.#settings = { tls: options.tls, login: options.login, signal: this.#closing.signal };
  }

  /** What the server that answered last said of itself. */
  get view(): ServerView | undefined {
    return this.#view;
  }

  /** When a call of this kind that begins now has to end. */
  deadline(kind: CommandKind): Deadline {
    return Deadline.after(this.#options.budget(kind), systemClock);
  }

  async call(call: Call, route: Route): Promise<CallAnswer> {
    const deadline = call.deadline ?? this.deadline(call.kind);
    const server = typeof route === 'object' && 'server' in route ? route.server : undefined;
    const record = typeof route === 'object' && 'record' in route ? route.record : undefined;
    let goneOwner: RedisAddress | undefined;
    let ask: RedisAddress | undefined;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      // Only a cluster has moved any.
      const slot = record === undefined || this.#slots.size === 0 ? undefined : calculateSlot(record);
      const owner = slot === undefined ? undefined : this.#slots.get(slot);
      const to = ask ?? server ?? owner;
      let opened: Attempt;
      try {
        opened = this.#openConnectionTo(to) ?? (await this.#connectionTo(to, deadline, call));
      } catch (error) {
        // The slot's owner is gone: another server may name a new one.
        const isTimeout = error instanceof TransportError && error.isTimeout;
        const mayHaveMoved = to !== undefined && to === owner && !isSame(to, goneOwner) && !isTimeout;
        if (slot === undefined || !mayHaveMoved) {
          throw asLeaseError(error, call, to === undefined ? this.#target.name : formatAddress(to));
        }
        this.#slots.delete(slot);
        goneOwner = to;
        continue;
      }
      const { connection, reused } = opened;
      let answer: Answer;
      try {
        answer = await connection.request(ask ? call.commands.flatMap(asking) : call.commands, deadline);
      } catch (error) {
        this.#drop(connection);
        const isRepeatable = error instanceof TransportError && (!error.sent || call.kind === 'read');
        if (isRepeatable) this.#assertOpen(call);
        // A kept connection may have died while it was idle.
        if (isRepeatable && reused && !error.isTimeout) continue;
        throw asLeaseError(error, call, connection.server);
      }
      const { view } = answer;
      const replies = ask ? answer.replies.filter((_, index) => index % 2 === 1) : answer.replies;
      const redirection: Redirection | undefined =
        record === undefined ? undefined : readRedirection(replies, connection.address);
      ask = redirection?.kind === 'ASK' ? redirection.address : undefined;
      if (redirection?.kind === 'MOVED') this.#slots.set(redirection.slot, redirection.address);
      if (redirection) continue;
      this.#view = view;
      const isReplica = view.role === 'replica' || replies.some((reply) => isFailure(reply, 'READONLY'));
      if (isReplica && reused && !replies.some(hasChanged)) {
        // It became a replica under the open connection: names are resolved anew, Sentinels asked again.
        this.#drop(connection);
        continue;
      }
      if (view.mode === 'sentinel') throw connectedToSentinel(call, connection);
      const { address, id: connectionId } = connection;
      return { view, replies, server: connection.server, address, connectionId };
    }
    throw new UnreachableError(`${call.name}: redirected ${MAX_ATTEMPTS} times; nothing was changed`, {
      remedy: 'are slots moving, or is a failover going on? try again',
    });
  }

  /** Closes every connection. Calls that wait for an answer reject. */
  close(): void {
    this.#watch?.close();
    this.#closing.abort();
    this.#held.clear();
  }

  /** The connection to an address where it is open: nearly every call of a client that stays needs no more than that. */
  #openConnectionTo(to: RedisAddress | undefined): Attempt | undefined {
    if (this.#closing.signal.aborted) return undefined;
    const connection = this.#held.get(to === undefined ? TARGET : formatAddress(to));
    return connection?.isOpen ? { connection, reused: true } : undefined;
  }

  /** The open connection to an address, or a new one; calls that need it at the same time share one attempt. */
  async #connectionTo(to: RedisAddress | undefined, deadline: Deadline, call: Call): Promise<Attempt> {
    const key = to === undefined ? TARGET : formatAddress(to);
    for (;;) {
      this.#assertOpen(call);
      const held = this.#held.get(key);
      if (held?.isOpen) return { connection: held, reused: true };
      if (held) this.#drop(held);
      const opening = this.#opening.get(key) ?? this.#startOpening(key, to, deadline);
      const isJoined = opening.deadline !== deadline;
      try {
        const connection = isJoined
          ? await withinDeadline(opening.connection, deadline, () => timeout(false, 'connecting timed out'))
          : await opening.connection;
        return { connection, reused: false };
      } catch (error) {
        this.#assertOpen(call);
        // The attempt ended at the deadline of the call that began it.
        const isOver =
          opening.deadline.remainingMs() === 0 || (error instanceof TransportError && error.isTimeout);
        if (isJoined && isOver && deadline.remainingMs() > 0) continue;
        throw error;
      }
    }
  }

  #startOpening(key: string, to: RedisAddress | undefined, deadline: Deadline) {
    const connection = this.#open(to, deadline)
      .then((opened) => {
        this.#held.set(key, opened);
        if (!this.#held.get(opened.server)?.isOpen) this.#held.set(opened.server, opened);
        return opened;
      })
      .finally(() => this.#opening.delete(key));
    connection.catch(() => {});
    const opening = { connection, deadline };
    this.#opening.set(key, opening);
    return opening;
  }

  async #open(to: RedisAddress | undefined, deadline: Deadline): Promise<RedisConnection> {
    const { via } = this.#target;
    const open = (address: RedisAddress, share = deadline) =>
      RedisConnection.open(address, this.#settings, share);
    if (to !== undefined) return open(to);
    if (via.kind === 'servers') return tryInTurn(via.addresses, deadline, open);
    const sentinelSettings = { ...this.#settings, login: { ...via, database: 0 } };
    for (;;) {
      this.#named = undefined;
      const primary = await findPrimary(via, sentinelSettings, deadline).catch(
        because('no Sentinel answered'),
      );
      const connection = await open(primary).catch(because(`the primary, ${formatAddress(primary)}`));
      if (this.#named === undefined || isSame(this.#named, connection.address)) {
        if (this.#options.kept && !this.#closing.signal.aborted) {
          this.#watch ??= new FailoverWatch(via, sentinelSettings, (named) => this.#keepOnly(named));
        }
        return connection;
      }
      connection.close();
    }
  }

  /** A Sentinel named this primary: connections to any other are to one that was replaced. */
  #keepOnly(primary: RedisAddress): void {
    this.#named = primary;
    for (const connection of this.#held.values()) {
      if (!isSame(connection.address, primary)) this.#drop(connection);
    }
  }

  #drop(connection: RedisConnection): void {
    connection.retire();
    for (const [key, held] of this.#held) if (held === connection) this.#held.delete(key);
  }

  #assertOpen(call: Call): void {
    if (!this.#closing.signal.aborted) return;
    throw new ClosedError(`${call.name}: the provider was closed; nothing was changed`);
  }
}

function asking(command: RedisCommand): readonly RedisCommand[] {
  return [ASKING, command];
}

function isSame(one: RedisAddress, other: RedisAddress | undefined): boolean {
  return other !== undefined && formatAddress(one) === formatAddress(other);
}

function asLeaseError(error: unknown, { kind, name }: Call, server: string): unknown {
  return error instanceof TransportError ? transportFailure(error, kind, name, server) : error;
}

/** Says which connection failed. Whatever was sent on it, the verb was not. */
function because(what: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof TransportError)) throw error;
    const { reason, remedy, isTimeout } = error;
    throw new TransportError(false, { reason: `${what}: ${reason}`, remedy, isTimeout });
  };
}

function connectedToSentinel(call: Call, { server }: RedisConnection): InvalidConfigError {
  return new InvalidConfigError(`${call.name}: ${server} is a Sentinel, which holds no leases`, {
    remedy: `name it as one: redis+sentinel://${server}/NAME-OF-THE-PRIMARY`,
  });
}
