import { release as releaseLeases } from '../../operations/release.js';
import type { KeyRequest } from '../../operations/resolve-key.js';
import type { OwnerRequest } from '../../operations/shown-holder.js';
import { runInSession, sealCommand } from '../command.js';
import { confirmHolders } from '../confirm.js';
import { type ExitCode, exitCodeOf, worstExitCode } from '../exit-codes.js';
import { readKeyRequests } from '../key-requests.js';
import { verified } from '../look-again.js';
import {
  type CommonOptions,
  type KeyOptions,
  parseQuiet,
  type TakingOptions,
  withCommonOptions,
  withKeyOptions,
  withTakingOptions,
} from '../options.js';
import { readOwnerRequest } from '../owner-request.js';

type ReleaseOptions = CommonOptions &
  KeyOptions &
  TakingOptions & { readonly owner?: string; readonly missingOk?: boolean };

interface ReleaseInput {
  readonly keys: readonly string[];
  readonly options: ReleaseOptions;
}

/** `release <key>…`: give it back. */
export const release = sealCommand<ReleaseInput>({
  declare(command, run) {
    command
      .argument('[key...]', 'keys as they are written (\\0 is NUL), or - for NDJSON on stdin')
      .optionsGroup('Lease:')
      .option('--owner <owner>', 'whose lease it is (env: MASTRA_LEASE_OWNER)')
      .option('--missing-ok', 'a key that nobody holds counts as done');
    withKeyOptions(command);
    withTakingOptions(command);
    withCommonOptions(command, 'for the whole command (default 5s)');
    command.action((keys: readonly string[], options: ReleaseOptions) => run({ keys, options }));
  },
  run: (run, { keys, options }) =>
    runInSession(
      run,
      'release',
      options,
      { access: options.dryRun ? 'read' : 'write', bounds: 'command', changesOnly: true },
      async (session) => {
        const confirm = confirmHolders(session, 'release', options);
        const listed = await readKeyRequests(keys, options, run.io);
        const isNamed = options.owner !== undefined;
        const owner: OwnerRequest =
          !isNamed && !options.force && listed.every(hasOwner)
            ? { by: 'row' }
            : readOwnerRequest(options.owner, '--owner', run.io, options, confirm);
        const targets = isNamed ? listed.map(withoutOwner) : listed;
        const { printer, context } = session;
        const exitCodes: ExitCode[] = [];
        const quiet = parseQuiet(options);
        const dryRun = options.dryRun === true;
        const outcomes = releaseLeases(context, { targets, owner, quiet, dryRun });
        for await (const outcome of await verified(session, outcomes, options)) {
          const exitCode = options.missingOk && outcome.status === 'no-lease' ? 0 : exitCodeOf(outcome);
          exitCodes.push(exitCode);
          await printer.outcome(outcome, exitCode, targets.length > 1);
        }
        await printer.source(context.backend.source());
        return worstExitCode(exitCodes);
      },
    ),
});

function hasOwner(target: KeyRequest): boolean {
  return target.by === 'key' && target.owner !== undefined;
}

/** A holder that is named for all keys is the one that counts, whoever held them when they were listed. */
function withoutOwner(target: KeyRequest): KeyRequest {
  if (target.by !== 'key') return target;
  const { owner: _listed, ...request } = target;
  return request;
}
