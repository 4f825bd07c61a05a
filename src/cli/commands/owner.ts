import { readOwner } from '../../operations/read-owner.js';
import { ThreadIndex } from '../../operations/thread-index.js';
import { runInSession, sealCommand } from '../command.js';
import { readKeysOrRefusals } from '../key-requests.js';
import { type CommonOptions, type KeyOptions, withCommonOptions, withKeyOptions } from '../options.js';
import { printOutcomes } from '../several-keys.js';

type OwnerOptions = CommonOptions & KeyOptions;

interface OwnerInput {
  readonly keys: readonly string[];
  readonly options: OwnerOptions;
}

/** `owner <key>…`: who holds it. */
export const owner = sealCommand<OwnerInput>({
  declare(command, run) {
    command.argument('[key...]', 'keys as they are written (\\0 is NUL), or - for NDJSON on stdin');
    withKeyOptions(command);
    withCommonOptions(command, 'for the whole command (default 5s)');
    command.action((keys: readonly string[], options: OwnerOptions) => run({ keys, options }));
  },
  run: (run, { keys, options }) =>
    runInSession(run, 'owner', options, { access: 'read', bounds: 'command' }, async (session) => {
      const requests = await readKeysOrRefusals(keys, options, run.io);
      const index = new ThreadIndex(session.context);
      return printOutcomes(session, 'owner', requests, (request) =>
        readOwner(session.context, request, index),
      );
    }),
});
