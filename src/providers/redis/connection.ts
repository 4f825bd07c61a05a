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

/** How many of the requests of one tick go ahead of the others. */
const REQUESTS_AHEAD = 4;
/** From so many on they all go together: the server is busy with them anyway. */
const MANY_REQUESTS = 64;

interface Request {
  readonly commands: readonly RedisCommand[];
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A connection for requests: a kept client that finds it closed opens another. Requests made in one tick go out in one
 * write or two, HELLO first in each, so that each answer comes with the role of the server that gave it.
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

  /** The server is at the first few while the others are still put on the wire. */
  #flush(): void {
    const requests = this.#queue;
    this.#queue = [];
    const ahead = requests.length < MANY_REQUESTS ? REQUESTS_AHEAD : requests.length;
    this.#send(requests.slice(0, ahead));
    if (requests.length > ahead) this.#send(requests.slice(ahead));
  }

  /** Each request ends with its own last reply: its caller goes on while the server is at the next. */
  #send(requests: readonly Request[]): void {
    let view: ServerView | undefined;
    let failure: unknown;
    let replies: unknown[] = [];
    let next = 0;
    const commands = requests.flatMap((request) => request.commands);
    this.#connection.write([HELLO, ...commands], (reply) => {
      if (view) replies.push(reply);
      else view = readHello(reply);
      if (isConnectionFailure(reply)) failure = reply;
      else if (isLoginWanted(reply)) failure = replyFailure(reply, { command: 'HELLO', server: this.server });
      // More than one may be complete: a request may want no more than HELLO.
      for (
        let request = requests[next];
        request?.commands.length === replies.length;
        request = requests[next]
      ) {
        if (failure === undefined) request.resolve({ view, replies });
        else request.reject(failure);
        replies = [];
        next += 1;
      }
    });
  }
}

/** Who has to log in first may ask nothing at all, not even who answers. */
function isLoginWanted(reply: unknown): reply is ReplyFailure {
  return reply instanceof ReplyFailure && isFailure(reply, 'NOAUTH');
}
