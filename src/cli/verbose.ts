import { type TracingChannelSubscribers, tracingChannel } from 'node:diagnostics_channel';
import type { Clock } from '../lease/clock.js';
import { escapeText } from '../lease/text.js';
import { formatDuration } from '../output/durations.js';

/** What ioredis publishes of a command, and of an attempt to connect. */
interface Traced {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly serverAddress: string;
  readonly serverPort?: number;
}

/** As many lines as an eye may want; a listing of a large database sends more commands than that. */
const MAX_LINES = 40;

/** The commands whose arguments hold a record's name, and where. Of any other no argument is told: it may be secret. */
const RECORD_AT: Readonly<Record<string, number>> = {
  eval: 2,
  evalsha: 2,
  get: 0,
  set: 0,
  del: 0,
  pttl: 0,
  pexpire: 0,
  xrevrange: 0,
  xrange: 0,
};

/**
 * Tells each command that goes to a Redis, on which record, and how long connecting and the answer take. What is
 * returned ends it and tells how many commands were not told one by one.
 */
export function traceRedis(tell: (line: string) => void, clock: Clock): () => void {
  const connecting = tracingChannel<Traced, Traced>('ioredis:connect');
  const commands = tracingChannel<Traced, Traced>('ioredis:command');
  let sent = 0;
  const onConnect = timed(clock, (traced, took) =>
    tell(`redis: connecting to ${addressOf(traced)}: ${took}`),
  );
  const onCommand = timed(clock, (traced, took) => {
    sent += 1;
    if (sent <= MAX_LINES) tell(`redis: ${commandOf(traced)} to ${addressOf(traced)}: ${took}`);
  });
  connecting.subscribe(onConnect);
  commands.subscribe(onCommand);
  return () => {
    connecting.unsubscribe(onConnect);
    commands.unsubscribe(onCommand);
    if (sent > MAX_LINES) tell(`redis: and ${sent - MAX_LINES} more commands`);
  };
}

function timed(
  clock: Clock,
  tell: (traced: Traced, took: string) => void,
): TracingChannelSubscribers<Traced> {
  const startedMs = new WeakMap<Traced, number>();
  const failed = new WeakSet<Traced>();
  return {
    start: (traced) => void startedMs.set(traced, clock.monotonicMs()),
    end: () => {},
    asyncStart: () => {},
    error: (traced) => void failed.add(traced),
    asyncEnd: (traced) => {
      const ms = clock.monotonicMs() - (startedMs.get(traced) ?? clock.monotonicMs());
      tell(traced, failed.has(traced) ? `failed after ${formatDuration(ms)}` : formatDuration(ms));
    },
  };
}

function commandOf({ command = '', args = [] }: Traced): string {
  const at = RECORD_AT[command.toLowerCase()];
  const isOnNone = at === RECORD_AT.eval && args[1] === '0';
  const record = at === undefined || isOnNone ? undefined : args[at];
  return record === undefined ? command.toUpperCase() : `${command.toUpperCase()} ${escapeText(record)}`;
}

function addressOf({ serverAddress, serverPort }: Traced): string {
  return serverPort === undefined ? serverAddress : `${serverAddress}:${serverPort}`;
}
