import { DEFAULT_THRESHOLDS } from '../../lease/verdict.js';
import type { InspectSettings } from '../../operations/inspect/inspect.js';
import { printable } from '../../output/printable.js';
import type { FilterOptions } from '../filter-options.js';
import type { CliIo } from '../io.js';
import { type CommonOptions, type KeyOptions, parseDuration, parseTtl, runtimeSettings } from '../options.js';
import { UsageError } from '../usage-error.js';

/** The options of `inspect`. */
export type InspectOptions = CommonOptions &
  KeyOptions &
  FilterOptions & {
    readonly observe?: string;
    readonly silentAfter?: string;
    readonly freshWithin?: string;
    readonly ttl?: string;
    readonly by?: string;
    readonly limit?: string;
  };

/** What to inspect, by what was named. */
export type InspectScope = 'keys' | 'stdin' | 'everything';

const FLAGS = {
  observe: '--observe',
  by: '--by',
  limit: '--limit',
  kind: '--kind',
  owner: '--owner',
  health: '--health',
  literal: '--literal',
} as const;

/** Options that mean nothing for some scopes; a flag that does nothing would be a wish that was not granted. */
const NOT_WITH: Readonly<Record<InspectScope, readonly (keyof typeof FLAGS)[]>> = {
  keys: ['by', 'limit', 'kind', 'owner', 'health'],
  stdin: ['kind', 'owner', 'health'],
  everything: ['observe', 'literal'],
};

const NAMES: Readonly<Record<InspectScope, string>> = {
  keys: 'with keys',
  stdin: 'with - (the keys of stdin)',
  everything: 'without a key',
};

/** Tells which scope was asked for, and refuses what does not go with it. */
export function readScope(keys: readonly string[], options: InspectOptions): InspectScope {
  const isNamed = options.thread !== undefined || options.resource !== undefined;
  if (keys.includes('-') && (keys.length > 1 || isNamed))
    throw new UsageError('Expected - alone: it reads the keys from stdin');
  const scope = keys.includes('-') ? 'stdin' : keys.length > 0 || isNamed ? 'keys' : 'everything';
  const wrong = NOT_WITH[scope].find((name) => options[name] !== undefined);
  if (wrong !== undefined) throw new UsageError(`${FLAGS[wrong]} means nothing ${NAMES[scope]}`);
  return scope;
}

export function readSettings(
  { silentAfter, freshWithin, ttl }: InspectOptions,
  { env }: Pick<CliIo, 'env'>,
): InspectSettings {
  return {
    ttlMs: parseTtl(ttl, env),
    thresholds: {
      silentAfterMs: threshold(silentAfter, '--silent-after') ?? DEFAULT_THRESHOLDS.silentAfterMs,
      freshWithinMs: threshold(freshWithin, '--fresh-within') ?? DEFAULT_THRESHOLDS.freshWithinMs,
    },
  };
}

function threshold(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseDuration(text, flag);
  if (ms > 0) return ms;
  throw new UsageError(`Expected ${flag} of more than 0, got "${printable(text)}"`);
}

/** How long renewals are watched for, in milliseconds, where that was asked for. */
export function parseObserve(text: string | undefined): number | undefined {
  return threshold(text, '--observe');
}

/** After how long the runtime renews a lease of this TTL. */
export function renewIntervalMs({ ttl }: InspectOptions, ttlMs: number, { env }: Pick<CliIo, 'env'>): number {
  return ttl === undefined ? runtimeSettings(env).renewIntervalMs : Math.floor(ttlMs / 3);
}
