import type { Buffer } from 'node:buffer';
import { Command, Redis, ReplyError } from 'ioredis';
import { systemClock } from '../../lease/clock.js';
import { Deadline, withinDeadline } from '../../lease/deadline.js';
import { LeaseError } from '../../lease/errors.js';
import type { RedisCommand } from './command.js';
import { type ConnectSettings, leanOptions } from './connect-settings.js';
import { loginCommands } from './login.js';
import { isTurnedAway, ReplyFailure, replyFailure } from './reply-failure.js';
import { formatAddress, type RedisAddress } from './target.js';
import { describeSocketFailure, isForeignProtocol, TransportError, timeout } from './transport-error.js';

/** What a connection is opened with, beside how to reach the server. */
export interface PlainConnectionOptions {
  /** How long connecting may take, in milliseconds, where that is less than the deadline leaves. */
  readonly connectMs?: number;
  /** Told of each message of the channels that it is subscribed to. */
  readonly onMessage?: (message: unknown) => void;
  /** Told of its end, once it was open and as long as nobody closed it. */
  readonly onEnd?: (failure: Error) => void;
}

/** Notes the moment at which ioredis hands a command's bytes to the socket. */
class TrackedCommand extends Command {
  written = false;

  override toWritable(socket: object): string | Buffer {
    this.written = true;
    return super.toWritable(socket);
  }
}

/** One connection, from connect to close. It sends what it is told and no more, and never reconnects, queues or resends. */
export class PlainConnection {
  /** The server as it is named in messages. */
  readonly server: string;
  readonly #redis: Redis;
  readonly #settings: ConnectSettings;
  readonly #closed = Promise.withResolvers<never>();
  #lastError: Error | undefined;
  #hasAnswered = false;
  #isNews = false;

  private constructor(
    address: RedisAddress,
    settings: ConnectSettings,
    { onMessage, onEnd }: PlainConnectionOptions,
  ) {
    this.server = formatAddress(address);
    this.#settings = settings;
    this.#redis = new Redis(leanOptions(address, settings.tls));
    this.#redis.on('error', (error: Error) => {
      this.#lastError = error;
    });
    this.#redis.on('end', () => {
      if (this.#isNews) onEnd?.(this.#failure(true));
    });
    if (onMessage) {
      this.#redis.on('messageBuffer', (_channel: Buffer, message: unknown) => onMessage(message));
    }
    this.#closed.promise.catch(() => {});
    settings.signal.addEventListener('abort', this.close);
  }

  /**
   * Connects, logs in and selects the database.
   *
   * @throws {@link TransportError}, never `sent`; `LeaseError` when the server refuses.
   */
  static async open(
    address: RedisAddress,
    settings: ConnectSettings,
    deadline: Deadline,
    options: PlainConnectionOptions = {},
  ): Promise<PlainConnection> {
    const connection = new PlainConnection(address, settings, options);
    if (settings.signal.aborted) connection.close();
    try {
      await Promise.race([connection.#closed.promise, connection.#connect(deadline, options)]);
      connection.#isNews = true;
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  get isOpen(): boolean {
    return this.#redis.status === 'ready';
  }

  /** The address that the name has led to. */
  get remote(): string {
    const { remoteAddress = '', remotePort = '' } = this.#redis.stream;
    return `${remoteAddress}:${remotePort}`;
  }

  /**
   * Puts all commands on the wire at once, and tells each reply when it comes, in the order of the commands: an error reply as
   * a {@link ReplyFailure}, and what was not answered for want of a connection as that failure, see
   * {@link isConnectionFailure}.
   */
  write(commands: readonly RedisCommand[], onReply: (reply: unknown) => void): void {
    let first: unknown;
    const { stream } = this.#redis;
    stream?.cork();
    for (const [name, ...args] of commands) {
      const command = new TrackedCommand(name, args);
      const settle = (reply: unknown) => {
        first ??= reply;
        onReply(reply);
      };
      Promise.resolve(this.#redis.sendCommand(command)).then(
        (reply) => {
          this.#hasAnswered = true;
          settle(reply);
        },
        (reason: Error) => {
          if (!(reason instanceof ReplyError)) return settle(this.#failure(command.written, first));
          this.#hasAnswered = true;
          settle(new ReplyFailure(reason.message));
        },
      );
    }
    stream?.uncork();
  }

  /**
   * As {@link write}, where all has to be answered in time.
   *
   * @throws {@link TransportError}; `LeaseError` when the server turned the connection away.
   */
  send(
    commands: readonly RedisCommand[],
    deadline: Deadline,
    late = 'timed out waiting for the answer',
  ): Promise<readonly unknown[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly unknown[]>();
    const replies: unknown[] = [];
    this.write(commands, (reply) => {
      if (isConnectionFailure(reply)) reject(reply);
      else if (replies.push(reply) === commands.length) resolve(replies);
    });
    return withinDeadline(promise, deadline, () => timeout(true, late));
  }

  readonly close = (): void => {
    this.#isNews = false;
    this.#settings.signal.removeEventListener('abort', this.close);
    this.#closed.reject(new TransportError(false, { reason: 'closed while connecting' }));
    if (this.#redis.status === 'end') return;
    this.#redis.disconnect();
    this.#redis.stream?.destroy();
  };

  async #connect(deadline: Deadline, { connectMs }: PlainConnectionOptions): Promise<void> {
    const { tls, login } = this.#settings;
    const connected = this.#redis.connect().catch(() => {
      throw this.#failure(false);
    });
    const soon =
      connectMs === undefined
        ? deadline
        : Deadline.after(Math.min(connectMs, deadline.remainingMs()), systemClock);
    await withinDeadline(connected, soon, () => {
      const remedy = tls ? 'does the server speak TLS? if not: redis:// instead of rediss://' : undefined;
      return timeout(false, 'connecting timed out', remedy);
    });
    const commands = await loginCommands(login, deadline);
    if (commands.length > 0) await this.#logIn(commands, deadline);
  }

  /** Before anything else is sent: a refused SELECT must never lead to database 0, nor AUTH to another user. */
  async #logIn(commands: readonly RedisCommand[], deadline: Deadline): Promise<void> {
    const replies = await this.send(commands, deadline, 'timed out while logging in').catch(
      (error: unknown) => {
        throw error instanceof TransportError ? new TransportError(false, error) : error;
      },
    );
    for (const [index, reply] of replies.entries()) {
      if (!(reply instanceof ReplyFailure)) continue;
      throw replyFailure(reply, { command: commands[index]?.[0].toUpperCase() ?? '', server: this.server });
    }
  }

  /** Why the connection failed. Who turns it away at once, or speaks another protocol, has done nothing. */
  #failure(sent: boolean, firstReply?: unknown): TransportError | LeaseError {
    const unasked = /Last error: (.*)/s.exec(this.#lastError?.message ?? '')?.[1];
    const refusal = unasked === undefined ? firstReply : new ReplyFailure(unasked);
    if (refusal instanceof ReplyFailure && isTurnedAway(refusal)) {
      return replyFailure(refusal, { command: 'connecting', server: this.server });
    }
    const isForeign = !this.#hasAnswered && isForeignProtocol(this.#lastError);
    const { reason, remedy } = describeSocketFailure(this.#lastError);
    const isTlsMissing = !this.#hasAnswered && !this.#redis.options.tls;
    return new TransportError(sent && !isForeign, {
      reason,
      remedy:
        remedy ?? (isTlsMissing ? 'if the server speaks TLS: rediss:// instead of redis://' : undefined),
    });
  }
}

/** Whether a reply of {@link PlainConnection.write} is none, because the connection failed. */
export function isConnectionFailure(reply: unknown): reply is TransportError | LeaseError {
  return reply instanceof TransportError || reply instanceof LeaseError;
}
