import { uniqueOwner } from '../../lease/owner.js';
import { acquire as acquireLease } from '../../operations/acquire.js';
import { runInSession, sealCommand } from '../command.js';
import { readKeyRequest } from '../key-requests.js';
import {
  type CommonOptions,
  type KeyOptions,
  parseOwnerOption,
  parseTtl,
  type WriteOptions,
  withCommonOptions,
  withKeyOptions,
  withWriteOptions,
} from '../options.js';
import { printOutcome } from '../several-keys.js';

type AcquireOptions = CommonOptions &
  KeyOptions &
  WriteOptions & { readonly owner?: string; readonly ttl?: string };

interface AcquireInput {
  readonly key: string | undefined;
  readonly options: AcquireOptions;
}

/** `acquire <key>`: claim it once; nothing renews it. */
export const acquire = sealCommand<AcquireInput>({
  declare(command, run) {
    command
      .argument('[key]', 'the key as it is written (\\0 is NUL)')
      .optionsGroup('Lease:')
      .option(
        '--owner <owner>',
        'who claims it (env: MASTRA_LEASE_OWNER; default a fresh unique one, printed)',
      )
      .option('--ttl <duration>', 'how long it lasts (env: MASTRA_AGENT_THREAD_LEASE_TTL_MS; default 15s)');
    withKeyOptions(command);
    withWriteOptions(command);
    withCommonOptions(command, 'for the whole command (default 5s)');
    command.action((key: string | undefined, options: AcquireOptions) => run({ key, options }));
  },
  run: (run, { key, options }) =>
    runInSession(
      run,
      'acquire',
      options,
      { access: options.dryRun ? 'read' : 'write', bounds: 'command' },
      async (session) => {
        const { io } = run;
        const named = options.owner ?? (io.env.MASTRA_LEASE_OWNER || undefined);
        const outcome = await acquireLease(session.context, {
          target: readKeyRequest(key, options),
          owner: named === undefined ? uniqueOwner(io.identity()) : parseOwnerOption(named, '--owner'),
          ttlMs: parseTtl(options.ttl, io.env),
          dryRun: options.dryRun === true,
        });
        return printOutcome(session, outcome);
      },
    ),
});
