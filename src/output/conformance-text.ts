import type { ClauseView, ConformanceView } from './conformance-view.js';
import { formatDuration } from './durations.js';
import { printable } from './printable.js';
import type { Theme } from './theme.js';

const COLUMNS = { clause: 28, result: 11, time: 9 } as const;

/** The head of the table of clauses. */
export function clauseHead(theme: Theme): string {
  return theme.dim(
    [
      'CLAUSE'.padEnd(COLUMNS.clause),
      'RESULT'.padEnd(COLUMNS.result),
      'TIME'.padStart(COLUMNS.time),
      ' NOTE',
    ].join(''),
  );
}

/** A clause as a row of the table. `width` cuts the note where a terminal ends. */
export function clauseRow(
  { id, result, durationMs, note = '' }: ClauseView,
  theme: Theme,
  width: number = Number.POSITIVE_INFINITY,
): string {
  const before = COLUMNS.clause + COLUMNS.result + COLUMNS.time + 2;
  const time = formatDuration(durationMs).padStart(COLUMNS.time);
  const row = `${id.padEnd(COLUMNS.clause)}${RESULT_COLOUR[result](theme)(result.padEnd(COLUMNS.result))}${time}`;
  const shown = cut(printable(note), width - before);
  return shown === '' ? row : `${row}  ${shown}`;
}

const RESULT_COLOUR: Readonly<Record<ClauseView['result'], (theme: Theme) => (text: string) => string>> = {
  passed: (theme) => theme.good,
  failed: (theme) => theme.bad,
  reported: (theme) => theme.warn,
  'not shown': (theme) => theme.warn,
  skipped: (theme) => theme.dim,
};

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

/** What shows a clause's finding: its sentence, what was expected, and the calls as a time line. */
export function evidenceText(
  { id, result, sentence, source, note, evidence }: ClauseView,
  theme: Theme,
): string {
  if (!evidence) return '';
  const lines = [
    sentence,
    theme.dim(source),
    ...(note === undefined || note === `expected ${evidence.expected}` ? [] : [printable(note)]),
    `expected ${printable(evidence.expected)}`,
    ...evidence.timeLine.map((line) => `  ${line}`),
  ];
  return [
    `${RESULT_COLOUR[result](theme)(result)} ${theme.strong(id)}`,
    ...lines.map((line) => `  ${line}`),
  ].join('\n');
}

/** The verdict, in one line. */
export function verdictText(view: ConformanceView, theme: Theme): string {
  const { conforms, clauses, seed, durationMs, scope, processes } = view;
  const count = (wanted: ClauseView['result']) => clauses.filter(({ result }) => result === wanted).length;
  const counts = (['failed', 'passed', 'reported', 'not shown', 'skipped'] as const)
    .map((result) => ({ result, many: count(result) }))
    .filter(({ many }) => many > 0)
    .map(({ result, many }) => `${many} ${result}`);
  const verdict = conforms ? theme.good('conforms') : theme.bad('does not conform');
  const where = `scope ${scope.value} (${scope.by})${processes > 0 ? `, ${processes} more processes` : ''}`;
  return `${verdict}: ${counts.join(', ')} · ${where} · seed ${seed} · ${formatDuration(durationMs)}`;
}
