import { connect, createServer, type Server, type Socket } from 'node:net';
import { findFreePort } from './free-port.js';
import { CommandParser } from './resp-commands.js';
import { type RelayControl, TcpRelay } from './tcp-relay.js';

const HOST = '127.0.0.1';

/** What one read from a client brought: on loopback one write of the client, unless two followed at once. */
interface ProxiedWrite {
  /** Which connection it came on, counted from 0 since the proxy was started. */
  readonly connection: number;
  readonly bytes: Buffer;
  /** The commands that these bytes completed; none where the client does not speak RESP (TLS). */
  readonly commands: readonly (readonly string[])[];
  /** How many bytes the server had answered on this connection before: writes of one round trip have the same. */
  readonly answeredBytes: number;
}

/** `up` is from the client to the server. */
type Direction = 'up' | 'down';

/** Narrows a fault to a command's name, such as `EVAL`; without it the next bytes of any connection are hit. */
interface Aim {
  readonly command?: string;
}

interface Link {
  readonly connection: number;
  readonly client: Socket;
  readonly server: Socket;
  readonly up: TcpRelay;
  readonly down: TcpRelay;
  /** Absent once the client has sent what is no RESP. */
  parser: CommandParser | undefined;
  answeredBytes: number;
  isMuted: boolean;
}

interface ReplyDrop {
  readonly command: string | undefined;
  readonly outcome: 'cut' | 'hang';
  /** Where the reply is due: known once the command was sent. */
  on: Link | undefined;
  readonly done: () => void;
}

interface ForwardCut {
  readonly command: string | undefined;
  readonly done: () => void;
}

/**
 * A proxy in front of a server that records what clients send and breaks what the test asks it to break. Faults are
 * real ones, at the socket.
 */
export class TcpProxy implements AsyncDisposable {
  readonly host = HOST;
  readonly port: number;
  /** The target's URL with this proxy's address. */
  readonly url: string;
  #target: ProxyTarget;
  readonly #open = new Set<Link>();
  readonly #writes: ProxiedWrite[] = [];
  #connectionCount = 0;
  readonly #up: RelayControl = { isPaused: false, delayMs: 0, isSplit: false };
  readonly #down: RelayControl = { isPaused: false, delayMs: 0, isSplit: false };
  #listener: Server | undefined;
  #replyDrop: ReplyDrop | undefined;
  #forwardCut: ForwardCut | undefined;

  constructor(target: ProxyTarget, port: number) {
    this.#target = target;
    this.port = port;
    const url = new URL(target.url ?? `redis://${HOST}`);
    url.host = `${HOST}:${port}`;
    this.url = url.href.replace(/\/$/, '');
  }

  /** Accepts connections; also those after a `refuseNew()`. */
  async acceptNew(): Promise<void> {
    if (this.#listener) return;
    const listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#accept(client));
    this.#listener = listener;
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(this.port, HOST, resolve);
    });
  }

  /** New connections are refused by the kernel; open ones go on. */
  refuseNew(): void {
    this.#listener?.close();
    this.#listener = undefined;
  }

  /** New connections lead to another server, as behind a name that has moved; open ones stay where they are. */
  retarget(target: ProxyTarget): void {
    this.#target = target;
  }

  /** How many connections were made so far. */
  get connectionCount(): number {
    return this.#connectionCount;
  }

  /** How many connections are open. */
  get openConnections(): number {
    return this.#open.size;
  }

  /** What clients wrote, in the order in which it came. */
  get writes(): readonly ProxiedWrite[] {
    return this.#writes;
  }

  /** The commands in {@link writes}. */
  get commands(): readonly (readonly string[])[] {
    return this.#writes.flatMap(({ commands }) => commands);
  }

  /** How often a client had to wait for an answer before it wrote again, the first time included, on all connections. */
  get roundTrips(): number {
    return new Set(this.#writes.map(({ connection, answeredBytes }) => `${connection} ${answeredBytes}`))
      .size;
  }

  /** Forgets the writes so far. */
  clear(): void {
    this.#writes.length = 0;
  }

  /** Resets every open connection, on both sides. */
  cut(): void {
    for (const link of this.#open) cutLink(link);
  }

  /** Holds bytes back, and the end of a connection too, until `resume()`. */
  pause(direction: Direction | 'both' = 'both'): void {
    for (const control of this.#controls(direction)) control.isPaused = true;
  }

  resume(direction: Direction | 'both' = 'both'): void {
    for (const control of this.#controls(direction)) control.isPaused = false;
    for (const { up, down } of this.#open) {
      void up.flow();
      void down.flow();
    }
  }

  /** Adds this to each round trip, half of it each way. */
  setRoundTripMs(delayMs: number): void {
    for (const control of this.#controls('both')) control.delayMs = delayMs / 2;
  }

  /** Sends every byte by itself, both ways. */
  splitFrames(isSplit = true): void {
    for (const control of this.#controls('both')) control.isSplit = isSplit;
  }

  /**
   * Swallows what the server answers next (after `command` was sent on that connection), then cuts the connection or
   * leaves it open for ever without an answer. Resolves when that has happened.
   */
  dropNextReply({
    command,
    outcome = 'cut',
  }: Aim & { readonly outcome?: 'cut' | 'hang' } = {}): Promise<void> {
    return new Promise((done) => {
      this.#replyDrop = { command: command?.toUpperCase(), outcome, on: undefined, done };
    });
  }

  /** Does not forward what the client sends next (with `command` in it) and cuts. Resolves when that has happened. */
  cutBeforeForward({ command }: Aim = {}): Promise<void> {
    return new Promise((done) => {
      this.#forwardCut = { command: command?.toUpperCase(), done };
    });
  }

  async stop(): Promise<void> {
    this.refuseNew();
    this.cut();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #controls(direction: Direction | 'both'): readonly RelayControl[] {
    if (direction === 'both') return [this.#up, this.#down];
    return [direction === 'up' ? this.#up : this.#down];
  }

  #accept(client: Socket): void {
    const server = connect({
      host: this.#target.host,
      port: this.#target.port,
      allowHalfOpen: true,
      noDelay: true,
    });
    const up = new TcpRelay(server, this.#up);
    const down = new TcpRelay(client, this.#down);
    const connection = this.#connectionCount++;
    const parser = new CommandParser();
    const link: Link = { connection, client, server, up, down, parser, answeredBytes: 0, isMuted: false };
    this.#open.add(link);
    client.on('data', (bytes) => this.#fromClient(link, bytes));
    server.on('data', (bytes) => this.#fromServer(link, bytes));
    client.on('end', () => up.end());
    server.on('end', () => down.end());
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on('error', () => other.resetAndDestroy());
      socket.on('close', () => {
        if (other.destroyed) this.#open.delete(link);
      });
    }
  }

  #fromClient(link: Link, bytes: Buffer): void {
    const commands = readCommands(link, bytes);
    const { connection, answeredBytes } = link;
    this.#writes.push({ connection, bytes, commands, answeredBytes });
    const cut = this.#forwardCut;
    if (cut && hits(cut.command, commands)) {
      this.#forwardCut = undefined;
      cutLink(link);
      cut.done();
      return;
    }
    const drop = this.#replyDrop;
    if (drop && !drop.on && hits(drop.command, commands)) drop.on = link;
    link.up.push(bytes);
  }

  #fromServer(link: Link, bytes: Buffer): void {
    link.answeredBytes += bytes.length;
    if (link.isMuted) return;
    const drop = this.#replyDrop;
    if (drop && (drop.on === link || (drop.command === undefined && !drop.on))) {
      this.#replyDrop = undefined;
      if (drop.outcome === 'cut') cutLink(link);
      else link.isMuted = true;
      drop.done();
      return;
    }
    link.down.push(bytes);
  }
}

/** A server to stand in front of. */
interface ProxyTarget {
  readonly host: string;
  readonly port: number;
  /** Where the scheme and the credentials of the proxy's URL come from. */
  readonly url?: string;
}

/** Starts a proxy on a free port. A {@link ProxyTarget} is any server handle of this rig. */
export async function startTcpProxy(target: ProxyTarget): Promise<TcpProxy> {
  const proxy = new TcpProxy(target, await findFreePort());
  await proxy.acceptNew();
  return proxy;
}

function cutLink({ client, server }: Link): void {
  client.resetAndDestroy();
  server.resetAndDestroy();
}

function hits(command: string | undefined, sent: readonly (readonly string[])[]): boolean {
  return command === undefined || sent.some(([name]) => name?.toUpperCase() === command);
}

function readCommands(link: Link, bytes: Buffer): readonly (readonly string[])[] {
  try {
    return link.parser?.push(bytes) ?? [];
  } catch {
    link.parser = undefined;
    return [];
  }
}
