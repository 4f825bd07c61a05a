import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { connect as connectPlain } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { Redis } from 'ioredis';
import { inject } from 'vitest';
import type { ThrowawayCertificates } from './certificates.js';
import { findFreePort } from './free-port.js';
import { killWithThisProcess } from './orphan-guard.js';
import { makeTempDir, type TempDir } from './temp-dir.js';
import { waitFor } from './wait-for.js';

const HOST = '127.0.0.1';
const START_DEADLINE_MS = 20_000;

/** How one kind of server is started. */
export interface ServerPlan {
  /** The command line on this port, with this directory for files; asked again at each restart. */
  argv(port: number, directory: string): readonly string[];
  /** Files to write into the directory before the first start: name to text. */
  files?(port: number): Readonly<Record<string, string>>;
  readonly password?: string | undefined;
  readonly tls?: ThrowawayCertificates | undefined;
  /** The unix socket's file name in the server's directory. */
  readonly socketName?: string | undefined;
}

/** A real server process on loopback, in a directory of its own. It ends with this process at the latest. */
export class RedisServer implements AsyncDisposable {
  readonly host = HOST;
  readonly port: number;
  /** The server's directory: its log is `log` in there. */
  readonly directory: string;
  /** With the password and the scheme; host is `127.0.0.1`. */
  readonly url: string;
  /** Present where the server also listens on a unix socket. */
  readonly socketPath: string | undefined;
  /** Present where the server speaks TLS only. */
  readonly tls: ThrowawayCertificates | undefined;
  readonly #plan: ServerPlan;
  readonly #tempDir: TempDir;
  readonly #clients = new Set<Redis>();
  #child: ChildProcess | undefined;

  constructor(plan: ServerPlan, port: number, tempDir: TempDir) {
    const user = plan.password === undefined ? '' : `:${encodeURIComponent(plan.password)}@`;
    this.#plan = plan;
    this.#tempDir = tempDir;
    this.port = port;
    this.directory = tempDir.path;
    this.url = `${plan.tls ? 'rediss' : 'redis'}://${user}${HOST}:${port}`;
    this.socketPath = plan.socketName === undefined ? undefined : join(tempDir.path, plan.socketName);
    this.tls = plan.tls;
  }

  /** Starts the process and waits until it answers. */
  async launch(): Promise<void> {
    const log = openSync(join(this.directory, 'log'), 'a');
    const child = spawn(
      process.env.MASTRA_LEASE_TEST_REDIS_SERVER ?? inject('redisServerPath'),
      [...this.#plan.argv(this.port, this.directory)],
      {
        cwd: this.directory,
        env: {},
        stdio: ['ignore', log, log],
      },
    );
    closeSync(log);
    child.on('error', () => {});
    child.unref();
    killWithThisProcess(child, this.directory);
    this.#child = child;
    await waitFor(() => this.#hasEnded() || this.#answers(), {
      deadlineMs: START_DEADLINE_MS,
      everyMs: 5,
      what: `redis-server on port ${this.port}`,
    });
    if (this.#hasEnded()) throw new Error(`redis-server ended at its start: ${await this.readLog()}`);
  }

  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined || this.#hasEnded())
      throw new Error(`The server on port ${this.port} is not running`);
    return pid;
  }

  get isRunning(): boolean {
    return !this.#hasEnded();
  }

  /**
   * A new connected client for the test's own use, as the default user or as `user`. It reconnects after a restart and
   * is closed by `stop()`.
   */
  async client(user?: { readonly username: string; readonly password: string }): Promise<Redis> {
    const { password } = this.#plan;
    const client = new Redis({
      host: HOST,
      port: this.port,
      ...(user ?? (password === undefined ? {} : { password })),
      ...(this.tls ? { tls: { rejectUnauthorized: false } } : {}),
      disableClientInfo: true,
      enableReadyCheck: false,
      lazyConnect: true,
      retryStrategy: () => 50,
    });
    client.on('error', () => {});
    this.#clients.add(client);
    await client.connect();
    return client;
  }

  /** Freezes the process (SIGSTOP): connections stay open and nothing is answered. */
  pause(): void {
    process.kill(this.pid, 'SIGSTOP');
  }

  resume(): void {
    process.kill(this.pid, 'SIGCONT');
  }

  /** Ends the process with SIGKILL; the port stays its own for a `restart()`. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || this.#hasEnded()) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** Starts again on the same port, killing first what still runs. The data is gone. */
  async restart(): Promise<void> {
    await this.kill();
    await this.launch();
  }

  /** Ends the process, closes its clients and removes its directory; a second call does nothing. */
  async stop(): Promise<void> {
    for (const client of this.#clients) client.disconnect();
    this.#clients.clear();
    await this.kill();
    await this.#tempDir.remove();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  readLog(): Promise<string> {
    return readFile(join(this.directory, 'log'), 'utf8');
  }

  #hasEnded(): boolean {
    const child = this.#child;
    return child?.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  }

  /** Whether PING is answered by anything (NOAUTH is an answer) but "not yet". */
  #answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const place = { host: HOST, port: this.port };
      const socket = this.tls ? connectTls({ ...place, rejectUnauthorized: false }) : connectPlain(place);
      const settle = (isReady: boolean) => {
        socket.destroy();
        resolve(isReady);
      };
      socket.setTimeout(1_000, () => settle(false));
      socket.once('error', () => settle(false));
      socket.once('close', () => settle(false));
      socket.once('data', (reply) => settle(!reply.toString('latin1').startsWith('-LOADING')));
      socket.write('*1\r\n$4\r\nPING\r\n');
    });
  }
}

/** Starts a server on a free port; on another one where the port was taken in the meantime. */
export async function startServer(plan: ServerPlan): Promise<RedisServer> {
  for (let attempt = 1; ; attempt += 1) {
    const server = new RedisServer(plan, await findFreePort(), await makeTempDir());
    try {
      for (const [name, text] of Object.entries(plan.files?.(server.port) ?? {})) {
        await writeFile(join(server.directory, name), text, { mode: 0o600 });
      }
      await server.launch();
      return server;
    } catch (error) {
      const wasTaken = (await server.readLog()).includes('Address already in use');
      await server.stop();
      if (!wasTaken || attempt === 5) throw error;
    }
  }
}

/** The options that every data server gets: nothing is written to disk, and a replica's first sync starts at once. */
export function commonArgs(port: number, directory: string): readonly string[] {
  return [
    ...['--bind', HOST, '--port', String(port), '--dir', directory, '--save', '', '--appendonly', 'no'],
    ...['--repl-diskless-sync', 'yes', '--repl-diskless-sync-delay', '0'],
  ];
}

/** Stops servers that belong together, even when one of them fails to stop. */
export async function stopAll(servers: readonly RedisServer[]): Promise<void> {
  await Promise.allSettled(servers.map((server) => server.stop()));
}
