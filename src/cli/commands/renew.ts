import { renew as renewLease } from '../../operations/renew.js';
import { runInSession, sealCommand } from '../command.js';
import { confirmHolders } from '../confirm.js';
import { readKeyRequest } from '../key-requests.js';
import {
  type CommonOptions,
  type ForceOptions,
  type KeyOptions,
  parseTtl,
  withCommonOptions,
  withForceOptions,
  withKeyOptions,
} from '../options.js';
import { readOwnerRequest } from '../owner-request.js';
import { printOutcome } from '../several-keys.js';

type RenewOptions = CommonOptions &
  KeyOptions &
  ForceOptions & { readonly owner?: string; readonly ttl?: string };

interface RenewInput {
  readonly key: string | undefined;
  readonly options: RenewOptions;
}

/** `renew <key>`: extend it. */
export const renew = sealCommand<RenewInput>({
  declare(command, run) {
    command
      .argument('[key]', 'the key as it is written (\\0 is NUL)')
      .optionsGroup('Lease:')
      .option('--owner <owner>', 'whose lease it is (env: MASTRA_LEASE_OWNER)')
      .option(
        '--ttl <duration>',
        'how long it lasts from now (env: MASTRA_AGENT_THREAD_LEASE_TTL_MS; default 15s)',
      );
    withKeyOptions(command);
    withForceOptions(command);
    withCommonOptions(command, 'for the whole command (default 5s)');
    command.action((key: string | undefined, options: RenewOptions) => run({ key, options }));
  },
  run: (run, { key, options }) =>
    runInSession(
      run,
      'renew',
      options,
      { access: options.dryRun ? 'read' : 'write', bounds: 'command', changesOnly: true },
      async (session) => {
        const ttlMs = parseTtl(options.ttl, run.io.env);
        const outcome = await renewLease(session.context, {
          target: readKeyRequest(key, options),
          owner: readOwnerRequest(
            options.owner,
            '--owner',
            run.io,
            options,
            confirmHolders(session, 'renew', options, { ttlMs }),
          ),
          ttlMs,
          dryRun: options.dryRun === true,
        });
        return printOutcome(session, outcome);
      },
    ),
});
