import { OutcomeUnknownError } from '../../lease/errors.js';
import { escapeText } from '../../lease/text.js';
import { acquire as acquireLease } from '../../operations/acquire.js';
import { type Attempt, type TurnOptions, takeTurn } from '../../operations/acquire-waiting.js';
import type { KeyOutcome } from '../../operations/outcome.js';
import type { KeyRequest } from '../../operations/resolve-key.js';
import { type Run, runInSession, sealCommand } from '../command.js';
import { exitCodeOf } from '../exit-codes.js';
import { parseGrace, parseWait, readClaimant, tellTurn } from '../holding-options.js';
import { keepLease } from '../keep-lease.js';
import { readKeyRequest } from '../key-requests.js';
import {
  type CommonOptions,
  type KeyOptions,
  parseDuration,
  parseTtl,
  type WriteOptions,
  withCommonOptions,
  withKeyOptions,
  withWriteOptions,
} from '../options.js';
import type { Session } from '../session.js';
import { UsageError } from '../usage-error.js';

type AcquireOptions = CommonOptions &
  KeyOptions &
  WriteOptions & {
    readonly owner?: string;
    readonly ttl?: string;
    readonly wait?: string;
    readonly keep?: boolean;
    readonly maxDuration?: string;
  };

interface AcquireInput {
  readonly key: string | undefined;
  readonly options: AcquireOptions;
}

const DEFAULT_MAX_DURATION_MS = 3_600_000;

/** `acquire <key>`: claim it once, wait for it, or hold it. */
export const acquire = sealCommand<AcquireInput>({
  declare(command, run) {
    command
      .argument('[key]', 'the key as it is written (\\0 is NUL)')
      .optionsGroup('Lease:')
      .option(
        '--owner <owner>',
        'who claims it (env: MASTRA_LEASE_OWNER; default a fresh unique one, printed)',
      )
      .option('--ttl <duration>', 'how long it lasts (env: MASTRA_AGENT_THREAD_LEASE_TTL_MS; default 15s)')
      .option('--wait <duration>', 'wait for it so long while another holds it; default: try once')
      .option('--keep', 'hold it, renewing, until SIGINT, SIGTERM or SIGHUP; then give it back')
      .option('--max-duration <duration>', 'of --keep: give it back after so long (default 1h)');
    withKeyOptions(command);
    withWriteOptions(command);
    withCommonOptions(command, 'for the whole command (default 5s); with --wait or --keep for each call');
    command.action((key: string | undefined, options: AcquireOptions) => run({ key, options }));
  },
  run: (run, { key, options }) => {
    const { wait, keep, dryRun } = options;
    if (keep && !dryRun) return keepLease(run, options, () => readKeepPlan(run, key, options));
    const kept = wait === undefined ? undefined : {};
    return runInSession(
      run,
      'acquire',
      options,
      { access: dryRun ? 'read' : 'write', bounds: 'command', kept },
      async (session) => acquireInTurn(session, readKeyRequest(key, options), options),
    );
  },
});

async function acquireInTurn(session: Session, asked: KeyRequest, options: AcquireOptions) {
  const { io, context, printer } = session;
  assertTogether(options);
  const waitMs = parseWait(options.wait);
  const request = {
    owner: readClaimant(options.owner, io),
    ttlMs: parseTtl(options.ttl, io.env),
    dryRun: options.dryRun === true,
  };
  const tell = tellTurn(session, waitMs);
  const turn: TurnOptions<Attempt & { readonly outcome: KeyOutcome }> = {
    waitMs,
    signal: context.signal,
    onWaiting: (refused) => tell(refused.outcome),
  };
  const { outcome, isTaken } = await takeTurn(context, turn, async () => {
    const found = await acquireLease(context, { ...request, target: asked });
    return { isTaken: found.status !== 'held-by-other', outcome: found, waitFor: found.key };
  }).catch((error: unknown) => {
    const isNamed = options.owner !== undefined || Boolean(io.env.MASTRA_LEASE_OWNER);
    throw error instanceof OutcomeUnknownError && !isNamed ? namingOwner(error, request.owner) : error;
  });
  const exitCode = isTaken || waitMs === 0 ? exitCodeOf(outcome) : 6;
  await printer.outcome(outcome, exitCode, false);
  await printer.source(context.backend.source());
  return exitCode;
}

/** A fresh owner is printed with the lease only: where that may be held all the same, nobody could give it back. */
function namingOwner({ message, remedy }: OutcomeUnknownError, owner: string): OutcomeUnknownError {
  const told = `if it was acquired, ${escapeText(owner)} is its owner`;
  return new OutcomeUnknownError(message, { remedy: remedy === undefined ? told : `${remedy}; ${told}` });
}

function readKeepPlan({ io }: Run, key: string | undefined, options: AcquireOptions) {
  const ttlMs = parseTtl(options.ttl, io.env);
  parseGrace('0', ttlMs, 0);
  const { maxDuration } = options;
  const maxDurationMs =
    maxDuration === undefined ? DEFAULT_MAX_DURATION_MS : parseDuration(maxDuration, '--max-duration');
  if (maxDurationMs === 0) throw new UsageError('Expected --max-duration of more than 0, got 0');
  return {
    target: readKeyRequest(key, options),
    owner: readClaimant(options.owner, io),
    ttlMs,
    waitMs: parseWait(options.wait),
    maxDurationMs,
  };
}

function assertTogether({ wait, keep, maxDuration, dryRun }: AcquireOptions): void {
  if (dryRun && (wait !== undefined || keep)) {
    throw new UsageError(`Expected --dry-run or --${keep ? 'keep' : 'wait'}, got both`);
  }
  if (maxDuration !== undefined && !keep) throw new UsageError('Expected --keep with --max-duration');
}
