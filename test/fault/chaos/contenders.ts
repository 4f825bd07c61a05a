import { fileURLToPath } from 'node:url';
import type { Random } from '../../../src/conformance/random.js';
import { startLease } from '../../cli/lease-cli.js';
import { monotonicMs } from './ledger.js';

const CRITICAL_SECTION = fileURLToPath(new URL('./critical-section.js', import.meta.url));

/** The lease that everybody wants. */
export const KEY = 'the-one-lease';
export const TTL_MS = 3_000;
/** From TERM to KILL; what runs under the lease takes less to stop. */
export const GRACE_MS = 700;
const STOP_MS = 200;
const WORK_MS = 1_200;
const WAIT_MS = 5_000;
/** The wall clock of half of the contenders jumps back and forth by up to a day, at every look at it. */
const JUMPING_CLOCK = `data:text/javascript,${encodeURIComponent(
  'const now = Date.now; Date.now = () => Math.round(now() + (Math.random() - 0.5) * 2 * 86_400_000);',
)}`;

/** One run of `exec`. */
export interface Run {
  /** Its owner, and its name in the ledger. */
  readonly name: string;
  readonly pid: number;
  /** When it said that the lease is lost. */
  lostAt?: number;
  exitCode?: number | null;
  stderr?: string;
}

/** Somebody who wants the lease again and again. */
export class Contender {
  readonly runs: Run[] = [];
  readonly #index: number;
  readonly #url: string;
  readonly #ledger: string;
  readonly #random: Random;
  #isStopping = false;

  constructor(index: number, { url, ledger, random }: { url: string; ledger: string; random: Random }) {
    this.#index = index;
    this.#url = url;
    this.#ledger = ledger;
    this.#random = random;
  }

  /** The run that goes on now. */
  get current(): Run | undefined {
    const run = this.runs.at(-1);
    return run?.exitCode === undefined ? run : undefined;
  }

  /** Begins no further run. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Runs `exec` after `exec` until it is stopped, and the last one has ended. */
  async contend(): Promise<void> {
    while (!this.#isStopping) await this.#runOnce();
  }

  async #runOnce(): Promise<void> {
    const name = `c${this.#index}.${this.runs.length}`;
    const work = [name, 50 + this.#random.below(WORK_MS), this.#random.below(STOP_MS)].map(String);
    const args = [
      '--owner',
      name,
      '--ttl',
      `${TTL_MS}ms`,
      '--grace',
      `${GRACE_MS}ms`,
      '--wait',
      `${WAIT_MS}ms`,
    ];
    await using started = await startLease(
      ['exec', KEY, ...args, '--', process.execPath, CRITICAL_SECTION, this.#ledger, ...work],
      {
        backend: this.#url,
        timeoutMs: 60_000,
        env: this.#index % 2 === 0 ? {} : { NODE_OPTIONS: `--import=${JUMPING_CLOCK}` },
      },
    );
    const run: Run = { name, pid: started.child.pid ?? 0 };
    this.runs.push(run);
    started.child.stderr?.on('data', () => {
      if (started.output.stderr.includes(`lost ${KEY}`)) run.lostAt ??= monotonicMs();
    });
    const { exitCode, stderr } = await started.done;
    run.stderr = stderr;
    run.exitCode = exitCode;
  }
}
