import { nextTick } from 'node:process';
import { atDeadline, type Deadline } from '../../lease/deadline.js';
import { HELLO, type RedisCommand } from './command.js';
import type { ConnectSettings } from './connect-settings.js';
import { isConnectionFailure, PlainConnection } from './plain-connection.js';
import { readHello, type ServerView } from './replies.js';
import { isFailure, ReplyFailure, replyFailure } from './reply-failure.js';
import type { RedisAddress } from './target.js';
import { timeout } from './transport-error.js';

/** What came back for one command, and what the server said of itself in the same write. */
export interface Answer {
  readonly view: ServerView;
  /** One reply a command, an error reply as a `ReplyFailure`. */
  readonly replies: readonly unknown[];
}

interface Request {
  readonly commands: readonly RedisCommand[];
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A connection for requests: a kept client that finds it closed opens another. Requests made in one tick go out in one
 * write, HELLO first, so that each answer comes with the role of the server that gave it.
 */
export class RedisConnection {
  static #opened = 0;
  /** Tells connections of one process apart. */
  readonly id = ++RedisConnection.#opened;
  readonly address: RedisAddress;
  readonly #connection: PlainConnection;
  #isRetired = false;
  #waiting = 0;
  #queue: Request[] = [];

  private constructor(address: RedisAddress, connection: PlainConnection) {
    this.address = address;
    this.#connection = connection;
  }

  /**
   * Connects, logs in and selects the database.
   *
   * @throws `TransportError`, never `sent`; `LeaseError` when the server refuses.
   */
  static async open(
    address: RedisAddress,
    settings: ConnectSettings,
    deadline: Deadline,
  ): Promise<RedisConnection> {
    return new RedisConnection(address, await PlainConnection.open(address, settings, deadline));
  }

  /** The server as it is named in messages. */
  get server(): string {
    return this.#connection.server;
  }

  /** Whether new requests may use it. */
  get isOpen(): boolean {
    return !this.#isRetired && this.#connection.isOpen;
  }

  /**
   * Sends commands after HELLO, in one write with whatever else is asked for in the same tick. A request that times
   * out retires the connection and leaves the others on it to their own deadlines.
   *
   * @throws `TransportError` when the answers do not all arrive in time.
   */
  request(commands: readonly RedisCommand[], deadline: Deadline): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    if (deadline.remainingMs() === 0) {
      reject(timeout(false, 'timed out before it was sent'));
      return promise;
    }
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      cancel();
      this.#waiting -= 1;
      if (this.#isRetired) this.retire();
    };
    const request: Request = {
      commands,
      resolve: (answer) => {
        resolve(answer);
        end();
      },
      reject: (error) => {
        reject(error);
        end();
      },
    };
    const cancel = atDeadline(deadline, () => {
      this.#isRetired = true;
      request.reject(timeout(true, 'timed out waiting for the answer'));
    });
    // After every promise that is settled by now: whatever depth a call of this tick comes from, it joins in.
    if (this.#queue.push(request) === 1) nextTick(() => this.#flush());
    this.#waiting += 1;
    return promise;
  }

  /** Takes no more requests, and closes once those that wait have ended. */
  retire(): void {
    this.#isRetired = true;
    if (this.#waiting === 0) this.close();
  }

  readonly close = (): void => this.#connection.close();

  /** Who has to log in first may ask nothing at all, not even who answers. */
  #refusalIn(hello: unknown): unknown {
    if (!(hello instanceof ReplyFailure) || !isFailure(hello, 'NOAUTH')) return undefined;
    return replyFailure(hello, { command: 'HELLO', server: this.server });
  }

  /** Each request ends with its own last reply: its caller goes on while the server is at the next. */
  #flush(): void {
    const requests = this.#queue.values();
    const commands = this.#queue.flatMap((request) => request.commands);
    this.#queue = [];
    let hello: unknown;
    let view: ServerView | undefined;
    let request = requests.next().value;
    let replies: unknown[] = [];
    this.#connection.write([HELLO, ...commands], (reply) => {
      if (view) replies.push(reply);
      else {
        hello = this.#refusalIn(reply) ?? reply;
        view = readHello(reply);
      }
      // More than one may be complete: a request may want no more than HELLO.
      while (request?.commands.length === replies.length) {
        const failure = [hello, ...replies].find(isConnectionFailure);
        if (failure) request.reject(failure);
        else request.resolve({ view, replies });
        replies = [];
        request = requests.next().value;
      }
    });
  }
}
