import { release as releaseLeases } from '../../operations/release.js';
import { runInSession, sealCommand } from '../command.js';
import { confirmHolders } from '../confirm.js';
import { type ExitCode, exitCodeOf, worstExitCode } from '../exit-codes.js';
import { readKeyRequests } from '../key-requests.js';
import {
  type CommonOptions,
  type ForceOptions,
  type KeyOptions,
  withCommonOptions,
  withForceOptions,
  withKeyOptions,
} from '../options.js';
import { readOwnerRequest } from '../owner-request.js';

type ReleaseOptions = CommonOptions &
  KeyOptions &
  ForceOptions & { readonly owner?: string; readonly missingOk?: boolean };

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
    withForceOptions(command);
    withCommonOptions(command, 'for the whole command (default 5s)');
    command.action((keys: readonly string[], options: ReleaseOptions) => run({ keys, options }));
  },
  run: (run, { keys, options }) =>
    runInSession(
      run,
      'release',
      options,
      { access: options.dryRun ? 'read' : 'write', bounds: 'command' },
      async (session) => {
        const owner = readOwnerRequest(
          options.owner,
          '--owner',
          run.io,
          options,
          confirmHolders(session, 'release', options),
        );
        const targets = await readKeyRequests(keys, options, run.io);
        const { printer, context } = session;
        const exitCodes: ExitCode[] = [];
        for await (const outcome of releaseLeases(context, {
          targets,
          owner,
          dryRun: options.dryRun === true,
        })) {
          const exitCode = options.missingOk && outcome.status === 'no-lease' ? 0 : exitCodeOf(outcome);
          exitCodes.push(exitCode);
          await printer.outcome(outcome, exitCode, targets.length > 1);
        }
        await printer.source(context.backend.source());
        return worstExitCode(exitCodes);
      },
    ),
});
