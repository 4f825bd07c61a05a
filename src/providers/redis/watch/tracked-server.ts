import { Buffer } from 'node:buffer';
import { systemClock } from '../../../lease/clock.js';
import { Deadline } from '../../../lease/deadline.js';
import { UnreachableError } from '../../../lease/errors.js';
import type { Lease } from '../../../lease/inspector.js';
import { assertPrimary } from '../call-answer.js';
import type { CallAnswer } from '../client.js';
import { type OwnSlots, ownSlotsIn } from '../cluster-masters.js';
import { HELLO, type RedisCommand } from '../command.js';
import type { ConnectSettings } from '../connect-settings.js';
import { PlainConnection } from '../plain-connection.js';
import { readHello, readOwnerAndTtl, type ServerView } from '../replies.js';
import { isFailure, ReplyFailure, replyFailure } from '../reply-failure.js';
import { formatAddress, type RedisAddress } from '../target.js';
import type { RecordNames } from './record-names.js';
import { TrackingRefused } from './tracking-refused.js';
import { assertTracking, slotsMove } from './tracking-state.js';

/** A server that does not even take a connection by then is tried anew: a lost packet is sent again late, and later. */
const CONNECT_MS = 2_000;
/** Milliseconds between two heartbeats. */
const BEAT_MS = 5_000;
/** A server that takes longer to answer is lost. With the heartbeat, one behind a dead connection is noticed within 10 s. */
const ANSWER_MS = 3_500;

const CHANNEL = '__redis__:invalidate';
const NODES: RedisCommand = ['cluster', 'nodes'];
/** By which a server says that it cannot do anything now. */
const NOT_READY = [
  'LOADING',
  'BUSY',
  'MASTERDOWN',
  'CLUSTERDOWN',
  'NOAUTH',
  'DENIED',
  'max number of clients',
];
/** A balancer has led the two connections to different servers. */
const NOT_THERE = 'client ID you want redirect to does not exist';

/** What a tracked server tells by itself. */
export interface TrackingEvents {
  /** The records of which something changed; `null`: it may be any. */
  readonly onChange: (records: readonly Buffer[] | null) => void;
  /** Nothing more is told. */
  readonly onFailure: (failure: unknown) => void;
  /** What it says of itself. */
  readonly onView: (view: ServerView) => void;
}

/** What a server is asked to track, and for whom. */
export interface TrackingOptions {
  readonly settings: ConnectSettings;
  readonly names: RecordNames;
  readonly events: TrackingEvents;
  readonly isCluster: boolean;
}

/** One record as it was read: what its lease is, `free`, or `unsettled` when it changed under the reading. */
export interface Reading {
  readonly id: string;
  readonly found: Lease | 'free' | 'unsettled';
}

/**
 * One server that tells which leases change: by two connections, one that hears of changes and one that asks. Neither
 * outlives the other, since what happened in between would be missed.
 */
export class TrackedServer {
  readonly address: RedisAddress;
  readonly server: string;
  readonly #options: TrackingOptions;
  readonly #hearing: PlainConnection;
  readonly #asking: PlainConnection;
  #slots: OwnSlots | undefined;
  #beat: NodeJS.Timeout | undefined;

  private constructor(
    address: RedisAddress,
    options: TrackingOptions,
    connections: readonly [hearing: PlainConnection, asking: PlainConnection],
  ) {
    this.address = address;
    this.server = formatAddress(address);
    this.#options = options;
    [this.#hearing, this.#asking] = connections;
  }

  /**
   * Connects and turns tracking on: what changes from here on is told.
   *
   * @throws {@link TrackingRefused}, `TransportError`, `LeaseError` when it is not a primary or refuses.
   */
  static async open(
    address: RedisAddress,
    options: TrackingOptions,
    deadline: Deadline,
  ): Promise<TrackedServer> {
    const { settings, events } = options;
    const how = { connectMs: CONNECT_MS, onEnd: (failure: Error) => events.onFailure(failure) };
    const onMessage = (message: unknown) => {
      if (Array.isArray(message)) events.onChange(message.filter((record) => Buffer.isBuffer(record)));
      else events.onChange(null);
    };
    const hearing = PlainConnection.open(address, settings, deadline, { ...how, onMessage });
    const asking = PlainConnection.open(address, settings, deadline, how);
    try {
      const opened = new TrackedServer(address, options, await Promise.all([hearing, asking]));
      await opened.#track(deadline);
      return opened;
    } catch (error) {
      for (const opening of [hearing, asking]) opening.then(({ close }) => close()).catch(() => {});
      throw error;
    }
  }

  /** The slots that it served when tracking was turned on; absent outside a cluster. */
  get slots(): OwnSlots | undefined {
    return this.#slots;
  }

  /** How many commands keep the tracking alive while nothing changes, in a second. */
  get commandsPerSecond(): number {
    return ((1 + this.#beatCommands().length) * 1_000) / BEAT_MS;
  }

  /**
   * Reads leases. GET first and PTTL for those that are held, so that a lease costs two commands whether it is held or
   * not: one that seems free is proved so, by the role of the server in the second write, where `mustProve` says that
   * this would be news.
   *
   * @throws `TransportError`, `LeaseError`.
   */
  async read(
    ids: readonly string[],
    { mustProve, areNamed }: { readonly mustProve: (id: string) => boolean; readonly areNamed: boolean },
  ): Promise<readonly Reading[]> {
    const records = ids.map((id) => this.#options.names.recordOf(id));
    const owners = await this.#ask(
      records.map((record) => ['get', record]),
      areNamed,
    );
    const held = records.filter((_, index) => owners[index] !== null);
    const isProofNeeded = ids.some((id, index) => owners[index] === null && mustProve(id));
    const second: RedisCommand[] = held.map((record) => ['pttl', record]);
    const answers = await this.#ask(isProofNeeded ? [...second, HELLO] : second);
    if (isProofNeeded) this.#assertPrimary(answers.at(-1));
    let next = 0;
    return ids.map((id, index): Reading => {
      const owner = owners[index];
      if (owner === null) return { id, found: 'free' };
      const { key, keyHex } = this.#options.names.keyOf(id);
      const lease = readOwnerAndTtl('GET', key, [owner, answers[next++]]);
      if (!lease) return { id, found: 'unsettled' };
      return { id, found: keyHex === undefined ? lease : { ...lease, keyHex } };
    });
  }

  /** Sends commands after HELLO, for a listing: each answer comes with the role of the server that gave it. */
  async call(commands: readonly RedisCommand[], deadline: Deadline): Promise<CallAnswer> {
    const { address, server } = this;
    const [hello, ...replies] = await this.#asking.send([HELLO, ...commands], deadline);
    if (replies.some((reply) => isFailure(reply, 'MOVED', 'ASK'))) throw slotsMove(server);
    return { view: readHello(hello), replies, server, address, connectionId: 0 };
  }

  /** @throws when the slots are not the ones any more that it served when tracking was turned on. */
  async verifySlots(): Promise<void> {
    if (this.#slots) this.#assertSameSlots((await this.#ask([NODES]))[0]);
  }

  /** Looks from time to time whether it is alive, the primary and tracking, until it is closed. */
  startBeating(): void {
    this.#beat = setInterval(() => {
      this.#checkAlive().catch(this.#options.events.onFailure);
    }, BEAT_MS);
  }

  close(): void {
    clearInterval(this.#beat);
    this.#hearing.close();
    this.#asking.close();
  }

  async #track(deadline: Deadline): Promise<void> {
    const { isCluster, names } = this.#options;
    // One name may lead to several servers, and to another one now.
    if (this.#hearing.remote !== this.#asking.remote) {
      throw new UnreachableError(
        `${this.server} leads to ${this.#hearing.remote} and to ${this.#asking.remote}`,
      );
    }
    const [hello, nodes] = await this.#asking.send(isCluster ? [HELLO, NODES] : [HELLO], deadline);
    this.#assertPrimary(hello);
    if (isCluster) this.#slots = ownSlotsIn(this.#accept(nodes, 'CLUSTER NODES'));
    // The id first: a connection that is subscribed may not ask for it any more.
    const [id, subscribed] = await this.#hearing.send(
      [
        ['client', 'id'],
        ['subscribe', CHANNEL],
      ],
      deadline,
    );
    this.#orRefused(subscribed, 'SUBSCRIBE');
    const redirect = String(this.#orRefused(id, 'CLIENT ID'));
    const [, tracked] = await this.#asking.send(
      [
        // A proxy may hand on a connection that tracks already, for somebody else.
        ['client', 'tracking', 'off'],
        ['client', 'tracking', 'on', 'redirect', redirect, 'bcast', 'prefix', names.prefix],
      ],
      deadline,
    );
    this.#orRefused(tracked, 'CLIENT TRACKING');
  }

  #beatCommands(): readonly RedisCommand[] {
    return [HELLO, ['client', 'trackinginfo'], ...(this.#options.isCluster ? [NODES] : [])];
  }

  async #checkAlive(): Promise<void> {
    const deadline = Deadline.after(ANSWER_MS, systemClock);
    const [[hello, tracking, nodes]] = await Promise.all([
      this.#asking.send(this.#beatCommands(), deadline),
      this.#hearing.send([['ping']], deadline),
    ]);
    this.#assertPrimary(hello);
    // Redis 6.0 does not know it, and a user may not be permitted to ask: the other signs have to do then.
    if (Array.isArray(tracking)) assertTracking(tracking, this.server);
    if (this.#slots) this.#assertSameSlots(this.#accept(nodes, 'CLUSTER NODES'));
  }

  async #ask(commands: readonly RedisCommand[], areNamed = true): Promise<readonly unknown[]> {
    if (commands.length === 0) return [];
    const replies = await this.#asking.send(commands, Deadline.after(ANSWER_MS, systemClock));
    return replies.map((reply, index) => {
      // A topic that is named like a lease is none.
      if (!areNamed && isFailure(reply, 'WRONGTYPE')) return null;
      return this.#accept(reply, commands[index]?.[0].toUpperCase() ?? '');
    });
  }

  #accept(reply: unknown, command: string): unknown {
    if (!(reply instanceof ReplyFailure) || command === 'HELLO') return reply;
    if (reply.is('MOVED', 'ASK', 'TRYAGAIN')) throw slotsMove(this.server);
    throw replyFailure(reply, { command, server: this.server });
  }

  #orRefused(reply: unknown, command: string): unknown {
    if (!(reply instanceof ReplyFailure)) return reply;
    if (reply.is(NOT_THERE)) throw new UnreachableError(`${this.server} leads to several servers`);
    if (reply.is(...NOT_READY)) throw replyFailure(reply, { command, server: this.server });
    throw new TrackingRefused(`${command} was refused: ${reply.message}`);
  }

  #assertPrimary(hello: unknown): void {
    const view = readHello(hello);
    this.#options.events.onView(view);
    assertPrimary({ view, server: this.server }, 'watch');
  }

  #assertSameSlots(nodes: unknown): void {
    const { state, isMoving } = ownSlotsIn(nodes);
    if (isMoving || state !== this.#slots?.state) throw slotsMove(this.server);
  }
}
