import { Deadline } from '../../lease/deadline.js';
import type { WaitCondition } from '../../lease/wait.js';
import { wait as waitForLeases } from '../../operations/wait.js';
import { printable } from '../../output/printable.js';
import { waitJson, waitText, waitWord } from '../../output/wait-outcome.js';
import { runInSession, sealCommand } from '../command.js';
import { readKeyRequests } from '../key-requests.js';
import {
  type CommonOptions,
  type KeyOptions,
  parseDuration,
  parseOwnerOption,
  withCommonOptions,
  withKeyOptions,
} from '../options.js';
import { UsageError } from '../usage-error.js';

type WaitOptions = CommonOptions & KeyOptions & { readonly until?: string };

interface WaitInput {
  readonly keys: readonly string[];
  readonly options: WaitOptions;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** What a call gets at the end of the time, in milliseconds: one that is cut short would say less than what was seen. */
const LEAST_CALL_MS = 500;
const OWNER_FORM = 'owner=';

/** `wait <key>…`: until every one of them is as wanted. */
export const wait = sealCommand<WaitInput>({
  declare(command, run) {
    command
      .argument('[key...]', 'keys as they are written (\\0 is NUL), or - for NDJSON on stdin')
      .optionsGroup('Waiting:')
      .option('--until <condition>', 'free, held, owner=ID or changed; of several keys: every one');
    withKeyOptions(command);
    withCommonOptions(command, 'how long to wait; 0 looks once (default 30s)');
    command.action((keys: readonly string[], options: WaitOptions) => run({ keys, options }));
  },
  run: (run, { keys, options }) => {
    // The time of the waiting is not shared out among its calls; none of them goes on after it.
    const { timeout, ...ofCalls } = options;
    let deadline: Deadline | undefined;
    const callMs = () => Math.max(LEAST_CALL_MS, deadline?.remainingMs() ?? Number.POSITIVE_INFINITY);
    return runInSession(
      run,
      'wait',
      ofCalls,
      { access: 'read', bounds: 'call', kept: { callMs } },
      async ({ context, printer }) => {
        const timeoutMs = timeout === undefined ? DEFAULT_TIMEOUT_MS : parseDuration(timeout, '--timeout');
        const condition = parseCondition(options.until);
        const targets = await readKeyRequests(keys, options, run.io);
        if (timeoutMs > 0) deadline = Deadline.after(timeoutMs, context.clock);
        printer.busy(`waiting until ${options.until}`);
        const outcome = await waitForLeases(context, { condition, timeoutMs, targets });
        const exitCode = outcome.met ? 0 : 6;
        if (printer.mode === 'json') await printer.json(waitJson(outcome, exitCode));
        else await printer.line(waitWord(outcome));
        for (const line of waitText(outcome)) await printer.talk(line);
        await printer.source(context.backend.source());
        return exitCode;
      },
    );
  },
});

function parseCondition(text: string | undefined): WaitCondition {
  if (text === 'free' || text === 'held' || text === 'changed') return { until: text };
  if (text?.startsWith(OWNER_FORM))
    return { until: 'owner', owner: parseOwnerOption(text.slice(OWNER_FORM.length), '--until owner=') };
  throw new UsageError(
    `Expected --until free, held, owner=ID or changed, got ${text === undefined ? 'none' : `"${printable(text)}"`}`,
  );
}
