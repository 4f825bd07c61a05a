import type { Buffer } from 'node:buffer';
import { Command, Redis, ReplyError } from 'ioredis';
import { systemClock } from '../../../lease/clock.js';
import { Deadline, withinDeadline } from '../../../lease/deadline.js';
import type { RedisCommand } from '../command.js';
import { type ConnectSettings, leanOptions } from '../connection.js';
import { loginCommands } from '../login.js';
import { isTurnedAway, ReplyFailure, replyFailure } from '../reply-failure.js';
import { formatAddress, type RedisAddress } from '../target.js';
import { describeSocketFailure, TransportError, timeout } from '../transport-error.js';

/** A server that does not even take a connection by then is tried anew: a lost packet is sent again late, and later. */
const CONNECT_MS = 2_000;

/** What a connection tells by itself. */
export interface WatchConnectionEvents {
  /** A message of the channel that it is subscribed to. */
  readonly onMessage?: (message: unknown) => void;
  readonly onEnd: (failure: TransportError) => void;
}

/**
 * One of the two connections of a tracked server, from connect to close. It sends what it is told and no more, and
 * never reconnects: what was tracked on it is lost with it.
 */
export class WatchConnection {
  readonly server: string;
  readonly #redis: Redis;
  readonly #signal: AbortSignal;
  #lastError: Error | undefined;
  /** Its end is news only once it was open, and as long as nobody closed it. */
  #isNews = false;

  private constructor(
    address: RedisAddress,
    { tls, signal }: ConnectSettings,
    { onMessage, onEnd }: WatchConnectionEvents,
  ) {
    this.server = formatAddress(address);
    this.#redis = new Redis(leanOptions(address, tls));
    this.#redis.on('error', (error: Error) => {
      this.#lastError = error;
    });
    this.#redis.on('end', () => {
      if (this.#isNews) onEnd(this.#failure());
    });
    if (onMessage) {
      this.#redis.on('messageBuffer', (_channel: Buffer, message: unknown) => onMessage(message));
    }
    this.#signal = signal;
    signal.addEventListener('abort', this.close);
  }

  /**
   * Connects, logs in and selects the database.
   *
   * @throws {@link TransportError}; `LeaseError` when the server refuses.
   */
  static async open(
    address: RedisAddress,
    settings: ConnectSettings,
    deadline: Deadline,
    events: WatchConnectionEvents,
  ): Promise<WatchConnection> {
    settings.signal.throwIfAborted();
    const connection = new WatchConnection(address, settings, events);
    try {
      await connection.#connect(settings, deadline);
      settings.signal.throwIfAborted();
      if (connection.#redis.status !== 'ready') throw connection.#failure();
      connection.#isNews = true;
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** The address that the name has led to. */
  get remote(): string {
    const { remoteAddress = '', remotePort = '' } = this.#redis.stream;
    return `${remoteAddress}:${remotePort}`;
  }

  /**
   * Sends commands in one write, and answers one reply each, an error reply as a {@link ReplyFailure}.
   *
   * @throws {@link TransportError}
   */
  async send(commands: readonly RedisCommand[], deadline: Deadline): Promise<readonly unknown[]> {
    const { stream } = this.#redis;
    stream?.cork();
    const sent = commands.map(([name, ...args]) => this.#redis.sendCommand(new Command(name, args)));
    stream?.uncork();
    const outcomes = await withinDeadline(Promise.allSettled(sent), deadline, () =>
      timeout(true, 'timed out waiting for the answer'),
    );
    return outcomes.map((outcome) => {
      if (outcome.status === 'fulfilled') return outcome.value;
      if (outcome.reason instanceof ReplyError) return new ReplyFailure(String(outcome.reason.message));
      throw this.#refusal() ?? this.#failure();
    });
  }

  readonly close = (): void => {
    this.#isNews = false;
    this.#signal.removeEventListener('abort', this.close);
    this.#redis.disconnect();
    this.#redis.stream?.destroy();
  };

  async #connect({ login }: ConnectSettings, deadline: Deadline): Promise<void> {
    const connected = this.#redis.connect().catch(() => {
      throw this.#refusal() ?? this.#failure();
    });
    const connectMs = Math.min(CONNECT_MS, deadline.remainingMs());
    await withinDeadline(connected, Deadline.after(connectMs, systemClock), () =>
      timeout(false, 'connecting timed out'),
    );
    // Before anything else is sent: a refused SELECT must never lead to database 0, nor AUTH to another user.
    const commands = await loginCommands(login, deadline);
    if (commands.length === 0) return;
    for (const [index, reply] of (await this.send(commands, deadline)).entries()) {
      if (!(reply instanceof ReplyFailure)) continue;
      throw replyFailure(reply, { command: commands[index]?.[0].toUpperCase() ?? '', server: this.server });
    }
  }

  /** What the server said unasked when it turned the connection away. */
  #refusal(): Error | undefined {
    const unasked = /Last error: (.*)/s.exec(this.#lastError?.message ?? '')?.[1];
    if (unasked === undefined) return undefined;
    const failure = new ReplyFailure(unasked);
    return isTurnedAway(failure)
      ? replyFailure(failure, { command: 'connecting', server: this.server })
      : undefined;
  }

  #failure(): TransportError {
    return new TransportError(true, describeSocketFailure(this.#lastError));
  }
}
