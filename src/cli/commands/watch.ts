import { resolve } from 'node:path';
import { UnsupportedError } from '../../lease/errors.js';
import { escapeText } from '../../lease/text.js';
import { watchEvents } from '../../operations/watch.js';
import { type ResolvedTarget, resolveWatchTarget, type WatchTarget } from '../../operations/watch-target.js';
import { noteText } from '../../output/note-text.js';
import { printable } from '../../output/printable.js';
import { tellAsking } from '../asking.js';
import { type Run, runGuarded, runInSession, sealCommand } from '../command.js';
import { type FilterOptions, readFilter, withFilterOptions } from '../filter-options.js';
import {
  type AuditOptions,
  type CommonOptions,
  type KeyOptions,
  threadTtlMs,
  withAuditOptions,
  withCommonOptions,
  withKeyOptions,
} from '../options.js';
import { Recording } from '../recording/recording.js';
import { replay } from '../recording/replay.js';
import type { Session } from '../session.js';
import { UsageError } from '../usage-error.js';
import { type Ending, endingOf, parseFor, unlessOver } from '../watch/ending.js';
import { showLive } from '../watch/live.js';
import { Liveness } from '../watch/liveness.js';
import { hasScreen } from '../watch/screen.js';
import { filterOfTarget, readWatchTarget } from '../watch/words.js';

type WatchOptions = CommonOptions &
  KeyOptions &
  AuditOptions &
  FilterOptions & {
    readonly for?: string;
    readonly write?: boolean;
    readonly record?: string;
    readonly replay?: string;
    readonly speed?: string;
  };

interface WatchInput {
  readonly words: readonly string[];
  readonly options: WatchOptions;
}

/** `watch [pattern or keys]`: who owns what, live. */
export const watch = sealCommand<WatchInput>({
  declare(command, run) {
    command
      .argument(
        '[pattern or keys...]',
        'a glob (* and ?) as for list, a key as it is written, or several keys; - for NDJSON on stdin',
      )
      .optionsGroup('Watching:');
    withFilterOptions(command)
      .option(
        '--for <duration>',
        'how long it goes on, to end with 0, or 7 if nothing was seen (default until it is stopped)',
      )
      .option('--write', 'on a terminal: leases can be transferred and released')
      .option('--record <file>', 'write the events to a new file as well')
      .option('--replay <file>', 'look at a recording instead of a backend')
      .option('--speed <n>', 'of --replay: so many times as fast (default 1; off a terminal: at once)');
    withKeyOptions(command);
    withAuditOptions(command);
    withCommonOptions(command, 'for each call (default 5s)');
    command.action((words: readonly string[], options: WatchOptions) => run({ words, options }));
  },
  run: (run, { words, options }) =>
    options.replay === undefined
      ? watchBackend(run, words, options)
      : watchRecording(run, words, options, options.replay),
});

function watchBackend(run: Run, words: readonly string[], options: WatchOptions): Promise<number> {
  const { io } = run;
  const access = options.write ? 'write' : 'read';
  return runInSession(run, 'watch', options, { access, bounds: 'call', kept: {} }, async (session) => {
    assertShared(session);
    if (options.speed !== undefined) throw new UsageError('Expected --replay with --speed, got none');
    const leaseTtlMs = threadTtlMs(io.env);
    const filter = readFilter(options);
    const target = await readWatchTarget(words, options, io);
    using ending = endingOf(run, parseFor(options.for));
    using recording = options.record === undefined ? undefined : recordTo(session, options.record, options);
    const liveness = new Liveness();
    const show = async ({ keys, filter: asked }: ResolvedTarget) => {
      const events = liveness.note(
        watchEvents(session.context, {
          keys,
          filter: { ...filter, ...asked },
          threadTtlMs: leaseTtlMs,
          signal: ending.signal,
        }),
      );
      if (hasScreen(io, options)) session.printer.idle();
      else tellAsking(session.printer, session.context.backend.source);
      return showLive(session, {
        events: recording ? recording.record(events) : events,
        isWritable: options.write === true,
        isOnScreen: hasScreen(io, options),
        ending,
        leaseTtlMs,
      });
    };
    const resolved = await resolveTarget(session, target, ending);
    const exitCode = resolved ? await show(resolved) : 0;
    if (ending.isTimeUp) liveness.assertSeen(session.context.backend.source(), `--for ${options.for}`);
    if (recording?.problem !== undefined) throw new UsageError(recording.problem);
    return exitCode;
  });
}

function watchRecording(
  run: Run,
  words: readonly string[],
  options: WatchOptions,
  path: string,
): Promise<number> {
  return runGuarded(run, 'watch', options, async (printer) => {
    if (options.record !== undefined) throw new UsageError('Expected --record or --replay, got both');
    if (options.write)
      throw new UsageError('Expected --write or --replay, got both: a recording cannot be changed');
    const target = await readWatchTarget(words, options, run.io);
    return replay(run, printer, {
      path,
      speed: parseSpeed(options.speed),
      filter: { ...readFilter(options), ...filterOfTarget(target) },
      isOnScreen: hasScreen(run.io, options),
      leaseTtlMs: threadTtlMs(run.io.env),
    });
  });
}

/** A process's own memory has no leases but its own: an empty screen would be a false answer. */
function assertShared({ context: { backend } }: Session): void {
  const { scope, backend: name } = backend.source();
  if (scope !== 'process') return;
  throw new UnsupportedError(`Leases of ${name} live inside one process: there are none to watch from here`, {
    remedy: 'name a backend that others can see, such as redis:// or local',
  });
}

/** Finds what to watch, and says what was found in place of what was asked; nothing when the end comes before that. */
async function resolveTarget(
  { context, printer }: Session,
  target: WatchTarget,
  ending: Ending,
): Promise<ResolvedTarget | undefined> {
  tellAsking(printer, context.backend.source);
  const resolved = await unlessOver(ending, resolveWatchTarget(context, target));
  for (const outcome of resolved?.outcomes ?? []) {
    for (const note of outcome.notes) await printer.talk(noteText(note, outcome));
    if (outcome.status === 'held') continue;
    const asked = outcome.key === undefined ? `thread ${outcome.thread}` : outcome.key;
    await printer.talk(`nobody holds ${escapeText(asked)} now: watching for what matches it`);
  }
  return resolved;
}

function recordTo({ io, printer, context }: Session, path: string, options: CommonOptions): Recording {
  return new Recording(resolve(io.cwd(), path), {
    source: () => context.backend.source(),
    wallMs: () => io.clock.wallMs(),
    // Nothing is printed over a screen; there it is told at the end.
    onFailure: (problem) => void (hasScreen(io, options) || printer.warn(problem)),
  });
}

function parseSpeed(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const speed = Number(text);
  if (/^\d*\.?\d+$/.test(text) && speed > 0) return speed;
  throw new UsageError(`Expected --speed as a number above 0, such as 10 or 0.5, got "${printable(text)}"`);
}
