import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchEvents } from '../../operations/watch.js';
import { quote } from '../../output/command-line.js';
import { printable } from '../../output/printable.js';
import { type Run, runInSession, sealCommand } from '../command.js';
import { Crew } from '../demo/crew.js';
import { DEMO_TTL_MS, WORKERS } from '../demo/plan.js';
import type { Session } from '../session.js';
import { UsageError } from '../usage-error.js';
import { endingOf, parseFor } from '../watch/ending.js';
import { showLive } from '../watch/live.js';
import { hasScreen } from '../watch/screen.js';

interface DemoOptions {
  readonly for?: string;
  readonly seed?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly color: boolean;
}

/** How long the demo goes on where nobody can leave it, in milliseconds. */
const STREAM_MS = 8_000;

/** `demo`: simulated workers on the embedded backend, to see it all without any setup. */
export const demo = sealCommand<{ readonly options: DemoOptions }>({
  declare(command, run) {
    command
      .option('--for <duration>', 'how long it goes on (default until q; off a terminal 8s)')
      .option('--seed <n>', 'another course of events (default 1)')
      .optionsGroup('Output:')
      .option('--json', 'one JSON object a line')
      .option('-q, --quiet', 'no talk on stderr but errors')
      .option('--no-color', 'no colour (env: NO_COLOR, FORCE_COLOR)');
    command.action((options: DemoOptions) => run({ options }));
  },
  run: async (run, { options }) => {
    const seed = parseSeed(options.seed);
    const isOnScreen = hasScreen(run.io, options);
    const forMs = parseFor(options.for);
    const folder = makeFolder();
    const database = join(folder, 'leases.db');
    const failing = new AbortController();
    const crew = new Crew({ folder, database, seed, env: run.io.env, onFailure: () => failing.abort() });
    try {
      await makeDatabase(database);
      const common = { ...options, introspect: false, backend: `sqlite:${database}` };
      const access = isOnScreen ? 'write' : 'read';
      // What is done to simulated leases is nobody's record.
      const { MASTRA_LEASE_AUDIT_FILE: _file, ...env } = run.io.env;
      const unaudited = { ...run, io: { ...run.io, env } };
      return await runInSession(
        unaudited,
        'demo',
        common,
        { access, bounds: 'call', kept: {} },
        (session) => {
          crew.start();
          return show(session, crew, { run, isOnScreen, forMs, failure: failing.signal });
        },
      );
    } finally {
      await crew.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

interface Showing {
  readonly run: Run;
  readonly isOnScreen: boolean;
  readonly forMs: number | undefined;
  readonly failure: AbortSignal;
}

async function show(
  session: Session,
  crew: Crew,
  { run, isOnScreen, forMs, failure }: Showing,
): Promise<number> {
  const { printer, context } = session;
  const { backend } = context;
  const name = backend.source().backend;
  await printer.talk(`${WORKERS} simulated workers, which end with this command; from another shell:`);
  await printer.talk(`  mastra-lease list --backend ${quote(printable(name))}`);
  using ending = endingOf(run, forMs ?? (isOnScreen ? undefined : STREAM_MS));
  failure.addEventListener('abort', ending.end);
  if (isOnScreen) printer.idle();
  const ours = { ...backend, source: () => ({ ...backend.source(), foundBy: 'demo' }) };
  const exitCode = await showLive(
    { ...session, context: { ...context, backend: ours } },
    {
      events: watchEvents({ ...context, backend: ours }, { threadTtlMs: DEMO_TTL_MS, signal: ending.signal }),
      isWritable: isOnScreen,
      isOnScreen,
      ending,
      leaseTtlMs: DEMO_TTL_MS,
    },
  );
  if (crew.problem !== undefined) throw new Error(crew.problem);
  return exitCode;
}

function makeFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'mastra-lease-demo-'));
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'it cannot be made';
    throw new UsageError(
      `Expected a place for temporary files, got ${printable(tmpdir())} (${reason}): set TMPDIR`,
    );
  }
}

/** The workers and the watch find it there; a watch that only reads makes none. */
async function makeDatabase(path: string): Promise<void> {
  const { SqliteLeaseProvider } = await import('../../providers/sqlite/index.js');
  const leases = new SqliteLeaseProvider({ path });
  await leases.tryRelease('demo', 'demo');
  await leases.close();
}

function parseSeed(text = '1'): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`Expected --seed as a whole number of up to nine digits, got "${printable(text)}"`);
}
