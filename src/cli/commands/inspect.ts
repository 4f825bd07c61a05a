import { inspectContext } from '../../operations/inspect/inspect.js';
import { runInSession, sealCommand } from '../command.js';
import { withFilterOptions } from '../filter-options.js';
import { inspectKeys } from '../inspect/keys.js';
import { Leaving } from '../inspect/leaving.js';
import { type InspectOptions, readScope, readSettings } from '../inspect/options.js';
import { inspectEverything, inspectStdin } from '../inspect/pulse.js';
import { withCommonOptions, withKeyOptions } from '../options.js';

interface InspectInput {
  readonly keys: readonly string[];
  readonly options: InspectOptions;
}

/** Of each of many threads only so many events are read: enough to see who is at work, and for how long nobody was. */
const PULSE_EVENTS = 100;

/** `inspect [key…]`: everything known about a key, a verdict, the next step; without a key every lease with its verdict. */
export const inspect = sealCommand<InspectInput>({
  declare(command, run) {
    command
      .argument(
        '[key...]',
        'keys as they are written (\\0 is NUL); - for keys or thread ids on stdin; without any: every held lease, worst first',
      )
      .optionsGroup('Inspecting:')
      .option(
        '--observe <duration>',
        'watch for renewals for so long (default: one look; on a terminal, for one held key, until a renewal is seen or overdue)',
      )
      .option(
        '--silent-after <duration>',
        'without an event for so long a held thread is silent (default 60s)',
      )
      .option('--fresh-within <duration>', 'an event younger than this is fresh (default 30s)')
      .option(
        '--ttl <duration>',
        'the lease time that is assumed (default 15s; env: MASTRA_AGENT_THREAD_LEASE_TTL_MS)',
      )
      .optionsGroup('Every lease:')
      .option('--by <group>', 'process: grouped by the process that holds them; for - too')
      .option('--limit <n>', 'print at most so many; all are still counted; for - too');
    withFilterOptions(command);
    withKeyOptions(command);
    withCommonOptions(command, 'for the whole command (default 5s; without a key: for each call)');
    command.action((keys: readonly string[], options: InspectOptions) => run({ keys, options }));
  },
  run: (run, { keys, options }) => {
    const bounds = keys.length === 0 && options.thread === undefined ? 'call' : 'command';
    const leaving = new Leaving(run.signal);
    const ours = { ...run, signal: leaving.signal };
    return runInSession(ours, 'inspect', options, { access: 'read', bounds }, async (session) => {
      const scope = readScope(keys, options);
      const maxEvents = scope === 'everything' ? PULSE_EVENTS : undefined;
      const context = inspectContext(session.context, { ...readSettings(options, run.io), maxEvents });
      switch (scope) {
        case 'keys':
          return inspectKeys(session, context, leaving, keys, options);
        case 'stdin':
          return inspectStdin(session, context, options);
        case 'everything':
          return inspectEverything(session, context, options);
      }
    });
  },
});
