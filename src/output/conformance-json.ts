import type { BackendSource } from '../lease/backend.js';
import { escapeText } from '../lease/text.js';
import type { ClauseView, ConformanceView } from './conformance-view.js';
import { formatInstant } from './durations.js';
import { type JsonObject, sourceFields } from './json.js';
import { printable } from './printable.js';

/** A run as one object. */
export function conformanceJson(
  view: ConformanceView,
  {
    exitCode,
    source,
    atMs,
  }: { readonly exitCode: number; readonly source: BackendSource; readonly atMs: number },
): JsonObject {
  const { conforms, level, require, seed, scratch, scope, traits, atomicTransfer, processes, clauses } = view;
  return {
    schema: 'mastra-lease/conformance@1',
    conforms,
    exitCode,
    level,
    require,
    seed,
    scratch,
    scope,
    atomicTransfer: {
      declared: traits.atomicTransfer ?? 'unstated',
      measured: atomicTransfer ?? 'not measured',
    },
    processes,
    durationMs: Math.round(view.durationMs),
    clauses: clauses.map(clauseJson),
    source: sourceFields(source),
    at: formatInstant(atMs),
  };
}

function clauseJson({
  id,
  level,
  sentence,
  source,
  result,
  durationMs,
  note,
  evidence,
}: ClauseView): JsonObject {
  return {
    id,
    level,
    sentence,
    source,
    result,
    durationMs: Math.round(durationMs),
    ...(note !== undefined && { note: printable(note) }),
    ...(evidence && {
      evidence: {
        expected: printable(evidence.expected),
        calls: evidence.calls.map(({ args, answer, failure, ...call }) => ({
          ...call,
          args: args.map(written),
          ...(failure === undefined ? { answer: written(answer) ?? null } : { failure: printable(failure) }),
        })),
      },
    }),
  };
}

/** Texts as keys and owners are written; JSON has no NaN and no Infinity. */
function written(value: unknown): unknown {
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      escapeText(name),
      typeof field === 'object' && field !== null ? 'an object' : written(field),
    ]),
  );
}
