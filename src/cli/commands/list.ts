import { nextTick } from 'node:process';
import { type ListEnd, type ListedLease, listLeases } from '../../operations/list-leases.js';
import { listEndJson, listedLeaseJson } from '../../output/json.js';
import {
  listedLeaseRow,
  listSummary,
  SORT_ORDERS,
  type SortOrder,
  sortLeases,
} from '../../output/list-text.js';
import { runInSession, sealCommand } from '../command.js';
import { type ExitCode, exitCodeOfError } from '../exit-codes.js';
import { type FilterOptions, oneOf, parseLimit, readFilter, withFilterOptions } from '../filter-options.js';
import { type CommonOptions, threadTtlMs, withCommonOptions } from '../options.js';
import type { Session } from '../session.js';
import { keepYoungHeapSmall } from '../small-heap.js';

type ListCommandOptions = CommonOptions & FilterOptions & { readonly sort?: string; readonly limit?: string };

interface ListInput {
  readonly pattern: string | undefined;
  readonly options: ListCommandOptions;
}

/** `list [pattern]`: every lease, worst first. */
export const list = sealCommand<ListInput>({
  declare(command, run) {
    command
      .argument(
        '[pattern]',
        'a glob (* and ?) over the whole key as it is written, the thread id or the resource id',
      )
      .optionsGroup('Listing:');
    withFilterOptions(command)
      .option('--sort <order>', `${SORT_ORDERS.join(', ')} (default worst; --json: as found, unless given)`)
      .option('--limit <n>', 'print at most so many; all are still counted');
    withCommonOptions(command, 'for the whole command (default none; 5s for each call)');
    command.action((pattern: string | undefined, options: ListCommandOptions) => run({ pattern, options }));
  },
  run: (run, { pattern, options }) =>
    runInSession(run, 'list', options, { access: 'read', bounds: 'call' }, async (session) => {
      const filter = { pattern, ...readFilter(options) };
      const sort = oneOf(options.sort, SORT_ORDERS, '--sort');
      const limit = parseLimit(options.limit);
      const events = listLeases(session.context, {
        filter,
        threadTtlMs: threadTtlMs(run.io.env),
        onProgress: ({ scannedKeys }) =>
          session.printer.busy(() => `listing: ${scannedKeys.toLocaleString('en')} keys scanned`),
      });
      return session.printer.mode === 'json' && sort === undefined
        ? streamJson(session, events, limit)
        : printSorted(session, events, sort ?? 'worst', limit);
    }),
});

type Events = ReturnType<typeof listLeases>;

/** How many characters are put together before they go out: a call for each line costs more than the line. */
const CHARACTERS_PER_WRITE = 16_384;

async function streamJson({ printer, io }: Session, events: Events, limit: number): Promise<ExitCode> {
  keepYoungHeapSmall();
  let shown = 0;
  let text = '';
  let written: Promise<void> | undefined;
  const flush = () => {
    if (text !== '') written = printer.line(text);
    text = '';
  };
  let end: ListEnd | undefined;
  try {
    for await (const event of events) {
      if (printer.isReaderGone) return 0;
      if ('end' in event) end = event.end;
      else if (shown < limit) {
        // What comes in one go goes out in one, and none waits for a lease that is still to be found.
        if (text === '') {
          await written;
          nextTick(flush);
        }
        const line = JSON.stringify(listedLeaseJson(event.lease, io.clock.wallMs()));
        text = text === '' ? line : `${text}\n${line}`;
        if (text.length >= CHARACTERS_PER_WRITE) flush();
      }
      shown += 1;
    }
  } finally {
    flush();
    await written;
  }
  if (!end) throw new Error('The listing had no end');
  return endJson(printer, end);
}

async function endJson(printer: Session['printer'], end: ListEnd): Promise<ExitCode> {
  const exitCode = exitCodeOfEnd(end);
  await printer.json(listEndJson(end, exitCode));
  if (end.error) await printer.failure(end.error, 'list');
  return exitCode;
}

async function printSorted(
  session: Session,
  events: Events,
  sort: SortOrder,
  limit: number,
): Promise<ExitCode> {
  const { printer, io } = session;
  const found: ListedLease[] = [];
  let end: ListEnd | undefined;
  for await (const event of events) {
    if ('end' in event) end = event.end;
    else found.push(event.lease);
  }
  if (!end) throw new Error('The listing had no end');
  const shown = sortLeases(found, sort).slice(0, limit);
  if (printer.mode === 'json') {
    for (const lease of shown) await printer.json(listedLeaseJson(lease, end.atMs));
    return endJson(printer, end);
  }
  // Nothing was seen: "0 leases" would be an answer.
  if (end.error && end.total === 0) throw end.error;
  if (printer.mode === 'pipe') {
    for (const lease of shown) await printer.line(listedLeaseRow(lease));
  } else if (shown.length > 0) {
    const { leaseTable } = await import('../../output/list-table.js');
    await printer.line(leaseTable(shown, io.columns, printer.theme));
  }
  if (printer.isReaderGone) return 0;
  const exitCode = exitCodeOfEnd(end);
  await printer.talk(listSummary(end, shown.length));
  if (end.error) await printer.failure(end.error, 'list');
  await printer.source(end.source);
  return exitCode;
}

function exitCodeOfEnd({ error }: ListEnd): ExitCode {
  return error ? exitCodeOfError(error.code) : 0;
}
