import { transfer as transferLease } from '../../operations/transfer.js';
import { runInSession, sealCommand } from '../command.js';
import { confirmHolders } from '../confirm.js';
import type { ExitCode } from '../exit-codes.js';
import { readKeyRequest } from '../key-requests.js';
import { verified } from '../look-again.js';
import {
  type CommonOptions,
  type KeyOptions,
  parseOwnerOption,
  parseQuiet,
  parseTtl,
  type TakingOptions,
  withCommonOptions,
  withKeyOptions,
  withTakingOptions,
} from '../options.js';
import { readOwnerRequest } from '../owner-request.js';
import { printOutcome } from '../several-keys.js';
import { UsageError } from '../usage-error.js';

type TransferOptions = CommonOptions &
  KeyOptions &
  TakingOptions & {
    readonly from?: string;
    readonly to?: string;
    readonly ttl?: string;
    readonly orAcquire?: boolean;
  };

interface TransferInput {
  readonly key: string | undefined;
  readonly options: TransferOptions;
}

/** `transfer <key>`: hand it over. */
export const transfer = sealCommand<TransferInput>({
  declare(command, run) {
    command
      .argument('[key]', 'the key as it is written (\\0 is NUL)')
      .optionsGroup('Lease:')
      .option('--from <owner>', 'who has it')
      .option('--to <owner>', 'who gets it')
      .option(
        '--ttl <duration>',
        'how long it lasts from now (env: MASTRA_AGENT_THREAD_LEASE_TTL_MS; default 15s)',
      )
      .option('--or-acquire', 'when it was lost meanwhile, acquire it afresh for --to');
    withKeyOptions(command);
    withTakingOptions(command);
    withCommonOptions(command, 'for the whole command (default 5s)');
    command.action((key: string | undefined, options: TransferOptions) => run({ key, options }));
  },
  run: (run, { key, options }) =>
    runInSession(
      run,
      'transfer',
      options,
      { access: options.dryRun ? 'read' : 'write', bounds: 'command', changesOnly: !options.orAcquire },
      async (session) => {
        if (options.to === undefined)
          throw new UsageError('Expected --to with the owner who gets the lease, got none');
        const to = parseOwnerOption(options.to, '--to');
        const ttlMs = parseTtl(options.ttl, run.io.env);
        if (options.from === options.to)
          throw new UsageError('Expected --to as another owner than --from, got the same');
        const outcome = await transferLease(session.context, {
          target: readKeyRequest(key, options),
          from: readOwnerRequest(
            options.from,
            '--from',
            run.io,
            options,
            confirmHolders(session, 'transfer', options, { to, ttlMs }),
          ),
          to,
          ttlMs,
          quiet: parseQuiet(options),
          orAcquire: options.orAcquire === true,
          dryRun: options.dryRun === true,
        });
        let exitCode: ExitCode = 0;
        for await (const seen of await verified(session, [outcome], options)) {
          exitCode = await printOutcome(session, seen);
        }
        return exitCode;
      },
    ),
});
