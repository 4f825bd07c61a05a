import type { Buffer } from 'node:buffer';
import { Command, Redis, type RedisOptions, ReplyError } from 'ioredis';
import { type Deadline, withinDeadline } from '../../lease/deadline.js';
import { InvalidConfigError, NotPermittedError } from '../../lease/errors.js';
import { describeSocketFailure, ReplyFailure, replyFailure, TransportError } from './errors.js';
import { readHello, type ServerView } from './replies.js';
import { formatAddress, type RedisAddress, type RedisTarget } from './target.js';

/** One command: its name and arguments, as they go on the wire. */
export type RedisCommand = readonly [name: string, ...args: readonly (string | Buffer)[]];

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

/** Who connects, and how long the connection is meant to stay. */
export interface ConnectOptions {
  readonly username?: string | undefined;
  /** A password, or a function asked at each connect (short-lived tokens). */
  readonly password?: string | (() => string | Promise<string>) | undefined;
  readonly tls?: RedisTlsOptions | undefined;
  /** Whether to watch Sentinel for a failover while connected. */
  readonly kept: boolean;
}

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
  readonly #redis: Redis;
  readonly #server: string;
  /** The address it was asked to connect to; none behind Sentinels. */
  readonly address: RedisAddress | undefined;
  #lastError: unknown;
  #sentinelError = '';
  #pending: Request[] = [];

  private constructor(redis: Redis, server: string, address: RedisAddress | undefined) {
    this.#redis = redis;
    this.#server = server;
    this.address = address;
    redis.on('error', (error) => {
      this.#lastError = error;
    });
    redis.on('sentinelError', (error: Error) => {
      this.#sentinelError = error.message;
    });
  }

  /** Connects to one server. */
  static openServer(
    address: RedisAddress,
    target: RedisTarget,
    options: ConnectOptions,
    deadline: Deadline,
  ): Promise<RedisConnection> {
    const tls = target.tls ? tlsOptions(options.tls) : undefined;
    return RedisConnection.#open({ ...address, ...(tls && { tls }) }, address, target, options, deadline);
  }

  /** Asks the Sentinels for the primary and connects to it. */
  static openPrimary(
    sentinels: Extract<RedisTarget['via'], { kind: 'sentinels' }>,
    target: RedisTarget,
    options: ConnectOptions,
    deadline: Deadline,
  ): Promise<RedisConnection> {
    const tls = target.tls ? tlsOptions(options.tls) : undefined;
    const redisOptions: RedisOptions = {
      sentinels: [...sentinels.addresses],
      name: sentinels.name,
      sentinelUsername: sentinels.username,
      sentinelPassword: sentinels.password,
      sentinelRetryStrategy: () => null,
      updateSentinels: options.kept,
      failoverDetector: options.kept,
      ...(tls && { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
    };
    return RedisConnection.#open(redisOptions, undefined, target, options, deadline);
  }

  static async #open(
    where: RedisOptions,
    address: RedisAddress | undefined,
    target: RedisTarget,
    options: ConnectOptions,
    deadline: Deadline,
  ): Promise<RedisConnection> {
    const redis = new Redis({
      ...where,
      ...LEAN,
      connectTimeout: Math.max(1, Math.ceil(Math.min(deadline.remainingMs(), 2 ** 31 - 1))),
    });
    const connection = new RedisConnection(redis, address ? formatAddress(address) : target.name, address);
    try {
      await withinDeadline(connection.#connect(), deadline, () => {
        const remedy = target.tls
          ? 'does the server speak TLS? if not: redis:// instead of rediss://'
          : undefined;
        return new TransportError(false, { reason: 'connecting timed out', remedy });
      });
      await connection.#logIn(target, options, deadline);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  get isOpen(): boolean {
    return this.#redis.status === 'ready';
  }

  /** The server as it is named in messages. */
  get server(): string {
    return this.#server;
  }

  /**
   * Sends commands after HELLO, in one write with whatever else is asked for in the same tick. Rejects with
   * {@link TransportError} when the answers do not all arrive in time; the connection is then closed.
   */
  request(commands: readonly RedisCommand[], deadline: Deadline): Promise<Answer> {
    const answer = new Promise<Answer>((resolve, reject) => {
      this.#pending.push({ commands, resolve, reject });
    });
    if (this.#pending.length === 1) queueMicrotask(() => this.#flush());
    return withinDeadline(answer, deadline, () => {
      this.close();
      return new TransportError(true, { reason: 'timed out waiting for the answer' });
    });
  }

  close(): void {
    this.#redis.disconnect();
  }

  async #connect(): Promise<void> {
    try {
      await this.#redis.connect();
    } catch (error) {
      if (this.#sentinelError !== '') throw this.#sentinelFailure();
      throw this.#failure(false, error instanceof Error ? error.message : undefined);
    }
  }

  /** ioredis tells why each Sentinel was of no use only in the text of an event. */
  #sentinelFailure(): Error {
    const refusal = new ReplyFailure(this.#sentinelError);
    if (refusal.message.endsWith('invalid reply: null')) {
      return new InvalidConfigError(`The Sentinels do not know the primary that ${this.#server} names`);
    }
    if (refusal.is('unknown command')) {
      return new InvalidConfigError(`The servers that ${this.#server} names are no Sentinels`, {
        remedy: 'to connect to a server itself: redis://host:6379',
      });
    }
    if (refusal.is('NOAUTH', 'WRONGPASS', 'NOPERM')) {
      return replyFailure(refusal, { command: 'SENTINEL', server: this.#server });
    }
    return new TransportError(false, { reason: 'no Sentinel answered', remedy: 'check their addresses' });
  }

  /** Logs in and selects the database, in one write, before anything else: a refused SELECT must never lead to database 0. */
  async #logIn(target: RedisTarget, options: ConnectOptions, deadline: Deadline): Promise<void> {
    const username = options.username ?? target.username;
    const password = await readPassword(options.password ?? target.password, deadline);
    const commands: RedisCommand[] = [];
    if (password !== undefined) {
      commands.push(username === undefined ? ['auth', password] : ['auth', username, password]);
    }
    if (target.database !== 0) commands.push(['select', String(target.database)]);
    if (commands.length === 0) return;
    const replies = await withinDeadline(this.#write(commands), deadline, () =>
      this.#failure(false, 'timed out while logging in'),
    );
    for (const [index, reply] of replies.entries()) {
      if (reply instanceof ReplyFailure) {
        throw replyFailure(reply, {
          command: commands[index]?.[0].toUpperCase() ?? '',
          server: this.#server,
        });
      }
    }
  }

  async #flush(): Promise<void> {
    const requests = this.#pending;
    this.#pending = [];
    const commands: RedisCommand[] = [['hello'], ...requests.flatMap((request) => request.commands)];
    let replies: readonly unknown[];
    try {
      replies = await this.#write(commands);
    } catch (error) {
      for (const request of requests) request.reject(error);
      return;
    }
    const [hello, ...rest] = replies;
    const view = readHello(hello);
    let offset = 0;
    for (const { commands: asked, resolve } of requests) {
      resolve({ view, replies: rest.slice(offset, offset + asked.length) });
      offset += asked.length;
    }
  }

  /** Puts all commands on the wire at once; rejects unless every one of them is answered. */
  async #write(commands: readonly RedisCommand[]): Promise<readonly unknown[]> {
    const issued = commands.map(([name, ...args]) => new TrackedCommand(name, args));
    const { stream } = this.#redis;
    stream?.cork();
    for (const command of issued) this.#redis.sendCommand(command);
    stream?.uncork();
    const settled = await Promise.allSettled(issued.map((command) => command.promise));
    const replies: unknown[] = [];
    for (const outcome of settled) {
      if (outcome.status === 'fulfilled') replies.push(outcome.value);
      else if (outcome.reason instanceof ReplyError)
        replies.push(new ReplyFailure(String(outcome.reason.message)));
      else throw this.#failure(issued.some((command) => command.written));
    }
    return replies;
  }

  #failure(sent: boolean, fallback?: string): TransportError {
    const text = describeSocketFailure(this.#lastError);
    return new TransportError(
      sent,
      this.#lastError === undefined && fallback !== undefined ? { reason: fallback } : text,
    );
  }
}

/** Nothing on the wire but what is asked for, and nothing ever sent twice. */
const LEAN = {
  protocol: 2,
  replyMapping: 'legacy',
  lazyConnect: true,
  enableReadyCheck: false,
  disableClientInfo: true,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  retryStrategy: () => null,
  disconnectTimeout: 500,
} as const satisfies RedisOptions;

function tlsOptions(tls: RedisTlsOptions = {}): NonNullable<RedisOptions['tls']> {
  return {
    ...(tls.servername !== undefined && { servername: tls.servername }),
    ...(tls.ca !== undefined && { ca: tls.ca }),
    ...(tls.insecure && { rejectUnauthorized: false }),
  };
}

async function readPassword(
  password: ConnectOptions['password'],
  deadline: Deadline,
): Promise<string | undefined> {
  if (typeof password !== 'function') return password;
  const asked = Promise.resolve().then(password);
  const answer: unknown = await withinDeadline(asked, deadline, () =>
    passwordFailure('did not answer in time'),
  ).catch((error: unknown) => {
    throw error instanceof NotPermittedError ? error : passwordFailure('failed');
  });
  if (typeof answer !== 'string') throw passwordFailure(`answered ${typeof answer} instead of a string`);
  return answer;
}

function passwordFailure(what: string): NotPermittedError {
  return new NotPermittedError(`The configured password function ${what}; nothing was sent`);
}
