import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { WORKERS } from './plan.js';
import { CRASHED, type WorkerTask, workerArguments } from './worker-arguments.js';

const WORKER = fileURLToPath(new URL('./worker.js', import.meta.url));

/** After how long a worker that crashed is started again, in milliseconds. */
const RESTART_MS = 1_500;
/** How many workers may end in a way that was not planned, before that is a failure. */
const MAX_ACCIDENTS = 3;
const STOP_MS = 2_000;

/** What a crew works with. */
export interface CrewOptions extends Pick<WorkerTask, 'folder' | 'database' | 'seed'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Told once when workers end that were not to. */
  readonly onFailure: () => void;
}

/** The demo's workers: processes of their own, which end with this one whatever ends it. */
export class Crew {
  readonly #options: CrewOptions;
  readonly #children = new Set<ChildProcess>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  #isStopping = false;
  #accidents = 0;
  #problem: string | undefined;

  constructor(options: CrewOptions) {
    this.#options = options;
  }

  /** Why the workers could not go on. */
  get problem(): string | undefined {
    return this.#problem;
  }

  start(): void {
    if (this.#isStopping) return;
    for (let worker = 0; worker < WORKERS; worker += 1) this.#start(worker, 0);
  }

  /** Ends every worker, and resolves when they are gone. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#restarts) clearTimeout(timer);
    const stopped = [...this.#children].map(async (child) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
      clearTimeout(timer);
    });
    await Promise.allSettled(stopped);
  }

  #start(worker: number, life: number): void {
    const { env, folder, database, seed } = this.#options;
    const child = spawn(
      process.execPath,
      [WORKER, ...workerArguments({ folder, database, seed, worker, life })],
      // Nothing is ever written to stdin: that it ends tells the worker that this process has.
      { env, stdio: ['pipe', 'ignore', 'pipe'] },
    );
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = `${complaint}${text}`.slice(-2_000);
    });
    child.stdin.on('error', () => {});
    child.once('error', (error) => this.#accident(error.message));
    child.once('spawn', () => this.#children.add(child));
    child.once('exit', (code) => {
      this.#children.delete(child);
      if (this.#isStopping) return;
      if (code !== CRASHED) this.#accident(complaint.trim().split('\n').at(-1) ?? '');
      this.#startLater(worker, life + 1);
    });
  }

  #startLater(worker: number, life: number): void {
    const timer = setTimeout(() => {
      this.#restarts.delete(timer);
      this.#start(worker, life);
    }, RESTART_MS);
    this.#restarts.add(timer);
  }

  #accident(complaint: string): void {
    this.#accidents += 1;
    if (this.#accidents <= MAX_ACCIDENTS || this.#problem !== undefined) return;
    this.#problem = `The demo's workers do not run: ${complaint || 'they end by themselves'}`;
    this.#options.onFailure();
  }
}
