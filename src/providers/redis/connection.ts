import type { Buffer } from 'node:buffer';
import { nextTick } from 'node:process';
import { Command, Redis, type RedisOptions, ReplyError } from 'ioredis';
import { type Deadline, withinDeadline } from '../../lease/deadline.js';
import { InvalidConfigError, LeaseError } from '../../lease/errors.js';
import type { RedisCommand } from './command.js';
import { type Login, loginCommands } from './login.js';
import { readHello, type ServerView } from './replies.js';
import { isTurnedAway, ReplyFailure, replyFailure } from './reply-failure.js';
import { formatAddress, type RedisAddress } from './target.js';
import { describeSocketFailure, isForeignProtocol, TransportError, timeout } from './transport-error.js';

/** What came back for one command, and what the server said of itself in the same write. */
export interface Answer {
  readonly view: ServerView;
  /** One reply a command, an error reply as a {@link ReplyFailure}. */
  readonly replies: readonly unknown[];
}

/** TLS settings. Without any, the system's certificate authorities and the host's own name decide. */
export interface RedisTlsOptions {
  /** The name to expect in the certificate, where it is not the host connected to (a tunnel). */
  readonly servername?: string;
  /** PEM text of the certificate authorities to trust. */
  readonly ca?: string;
  /** Accepts any certificate: the connection is encrypted, and nobody knows with whom. */
  readonly insecure?: boolean;
}

/** How to connect, whatever the address. */
export interface ConnectSettings {
  /** Absent: no TLS. */
  readonly tls?: RedisTlsOptions | undefined;
  readonly login: Login;
  /** Closes the connection, also while it is being made. */
  readonly signal: AbortSignal;
}

/** With a version of the protocol, which Redis 6.0 wants and which is the one in use: only the reply matters. */
const HELLO: RedisCommand = ['hello', '2'];

interface Request {
  readonly commands: readonly RedisCommand[];
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Notes the moment at which ioredis hands a command's bytes to the socket. */
class TrackedCommand extends Command {
  written = false;

  override toWritable(socket: object): string | Buffer {
    this.written = true;
    return super.toWritable(socket);
  }
}

/**
 * One connection, from connect to close. It never reconnects, queues or resends: a kept client that finds it closed
 * opens another. Requests made in one tick go out in one write, HELLO first, so that each answer comes with the role
 * of the server that gave it.
 */
export class RedisConnection {
  static #opened = 0;
  /** Tells connections of one process apart. */
  readonly id = ++RedisConnection.#opened;
  readonly address: RedisAddress;
  /** The server as it is named in messages. */
  readonly server: string;
  readonly #redis: Redis;
  readonly #signal: AbortSignal;
  readonly #closed = Promise.withResolvers<never>();
  #lastError: Error | undefined;
  #hasAnswered = false;
  #isRetired = false;
  #waiting = 0;
  #queue: Request[] = [];

  private constructor(address: RedisAddress, { tls, signal }: ConnectSettings) {
    this.address = address;
    this.server = formatAddress(address);
    this.#redis = new Redis(leanOptions(address, tls));
    this.#redis.on('error', (error: Error) => {
      this.#lastError = error;
    });
    this.#signal = signal;
    this.#closed.promise.catch(() => {});
    signal.addEventListener('abort', this.close);
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
  ): Promise<RedisConnection> {
    const connection = new RedisConnection(address, settings);
    if (settings.signal.aborted) connection.close();
    try {
      await Promise.race([connection.#closed.promise, connection.#connect(settings, deadline)]);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Whether new requests may use it. */
  get isOpen(): boolean {
    return !this.#isRetired && this.#redis.status === 'ready';
  }

  /**
   * Sends commands after HELLO, in one write with whatever else is asked for in the same tick. A request that times
   * out retires the connection and leaves the others on it to their own deadlines.
   *
   * @throws {@link TransportError} when the answers do not all arrive in time.
   */
  async request(commands: readonly RedisCommand[], deadline: Deadline): Promise<Answer> {
    if (deadline.remainingMs() === 0) throw timeout(false, 'timed out before it was sent');
    const { promise: answer, resolve, reject } = Promise.withResolvers<Answer>();
    // After every promise that is settled by now: whatever depth a call of this tick comes from, it joins in.
    if (this.#queue.push({ commands, resolve, reject }) === 1) nextTick(() => void this.#flush());
    this.#waiting += 1;
    try {
      return await withinDeadline(answer, deadline, () => {
        this.#isRetired = true;
        return timeout(true, 'timed out waiting for the answer');
      });
    } finally {
      this.#waiting -= 1;
      if (this.#isRetired) this.retire();
    }
  }

  /** Takes no more requests, and closes once those that wait have ended. */
  retire(): void {
    this.#isRetired = true;
    if (this.#waiting === 0) this.close();
  }

  readonly close = (): void => {
    this.#signal.removeEventListener('abort', this.close);
    this.#closed.reject(new TransportError(false, { reason: 'closed while connecting' }));
    if (this.#redis.status === 'end') return;
    this.#redis.disconnect();
    this.#redis.stream?.destroy();
  };

  async #connect({ tls, login }: ConnectSettings, deadline: Deadline): Promise<void> {
    const connected = this.#redis.connect().catch(() => {
      throw this.#failure(false);
    });
    await withinDeadline(connected, deadline, () => {
      const remedy = tls ? 'does the server speak TLS? if not: redis:// instead of rediss://' : undefined;
      return timeout(false, 'connecting timed out', remedy);
    });
    const commands = await loginCommands(login, deadline);
    if (commands.length > 0) await this.#logIn(commands, deadline);
  }

  /** Before anything else is sent: a refused SELECT must never lead to database 0, nor AUTH to another user. */
  async #logIn(commands: readonly RedisCommand[], deadline: Deadline): Promise<void> {
    const replies = await withinDeadline(this.#write(commands), deadline, () =>
      timeout(false, 'timed out while logging in'),
    );
    for (const [index, reply] of replies.entries()) {
      if (reply instanceof TransportError) throw new TransportError(false, reply);
      if (!(reply instanceof ReplyFailure)) continue;
      throw replyFailure(reply, { command: commands[index]?.[0].toUpperCase() ?? '', server: this.server });
    }
  }

  async #flush(): Promise<void> {
    const requests = this.#queue;
    this.#queue = [];
    const commands = requests.flatMap((request) => request.commands);
    const [hello, ...replies] = await this.#write([HELLO, ...commands]);
    const view = readHello(hello);
    let offset = 0;
    for (const { commands: asked, resolve, reject } of requests) {
      const own = replies.slice(offset, offset + asked.length);
      const failure = own.find((reply) => reply instanceof TransportError || reply instanceof LeaseError);
      if (failure) reject(failure);
      else resolve({ view, replies: own });
      offset += asked.length;
    }
  }

  /** Puts all commands on the wire at once. What was not answered for want of a connection has that failure for a reply. */
  async #write(commands: readonly RedisCommand[]): Promise<readonly unknown[]> {
    const issued = commands.map(([name, ...args]) => new TrackedCommand(name, args));
    const { stream } = this.#redis;
    stream?.cork();
    const answers = issued.map((command) => this.#redis.sendCommand(command));
    stream?.uncork();
    const replies: unknown[] = [];
    for (const [index, outcome] of (await Promise.allSettled(answers)).entries()) {
      if (outcome.status === 'fulfilled') replies.push(outcome.value);
      else if (outcome.reason instanceof ReplyError) {
        replies.push(new ReplyFailure(String(outcome.reason.message)));
      } else {
        replies.push(this.#failure(issued[index]?.written ?? false, replies[0]));
        continue;
      }
      this.#hasAnswered = true;
    }
    return replies;
  }

  /** Why the connection failed. Who turns it away at once, or speaks another protocol, has done nothing. */
  #failure(sent: boolean, firstReply?: unknown): Error {
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

/** Nothing on the wire but what is asked for, and nothing ever sent twice. */
export function leanOptions(address: RedisAddress, tls: RedisTlsOptions | undefined) {
  return {
    ...address,
    ...(tls && { tls: tlsOptions(tls) }),
    protocol: 2,
    lazyConnect: true,
    // Deadlines are ours, and so is the end of a socket.
    connectTimeout: 0,
    disconnectTimeout: 0,
    enableReadyCheck: false,
    disableClientInfo: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (): number | null => null,
  } satisfies RedisOptions;
}

/** @throws `ERR_LEASE_INVALID_CONFIG` for settings that would be left out silently. */
export function assertTlsOptions(options: RedisTlsOptions, isTls: boolean): void {
  if (!isTls && Object.values(options).some((value) => value !== undefined)) {
    throw new InvalidConfigError('TLS settings need a URL that asks for TLS', {
      remedy: 'rediss:// instead of redis://',
    });
  }
  if (options.ca !== undefined && !options.ca.includes('-----BEGIN ')) {
    throw new InvalidConfigError(
      'Expected the certificate authorities (tls.ca) as PEM text: -----BEGIN CERTIFICATE-----',
    );
  }
}

function tlsOptions({ servername, ca, insecure }: RedisTlsOptions): NonNullable<RedisOptions['tls']> {
  return {
    ...(servername !== undefined && { servername }),
    ...(ca !== undefined && { ca }),
    ...(insecure && { rejectUnauthorized: false }),
  };
}
