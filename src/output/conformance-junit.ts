import type { ClauseView, ConformanceView } from './conformance-view.js';
import { formatInstant } from './durations.js';
import { printable } from './printable.js';

/** A run as JUnit XML: one suite, one test case a clause. `name` is the backend's, without secrets. */
export function conformanceJunit(
  { clauses, seed, level, durationMs }: ConformanceView,
  name: string,
  atMs: number,
): string {
  const count = (result: ClauseView['result']) => clauses.filter((clause) => clause.result === result).length;
  const totals = {
    tests: clauses.length,
    failures: count('failed'),
    errors: 0,
    skipped: count('skipped'),
    time: seconds(durationMs),
  };
  const suite = { name: printable(name), ...totals, timestamp: formatInstant(atMs).slice(0, 19) };
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'mastra-lease conformance', ...totals })}>`,
    `  <testsuite${attributes(suite)}>`,
    '    <properties>',
    `      <property${attributes({ name: 'seed', value: seed })}/>`,
    `      <property${attributes({ name: 'level', value: level })}/>`,
    '    </properties>',
    ...clauses.flatMap(testCase),
    '  </testsuite>',
    '</testsuites>',
  ].join('\n')}\n`;
}

/** A run that ended without a verdict, as JUnit XML: an error is neither a pass nor a failure. */
export function untestedJunit(error: Error, name: string, atMs: number): string {
  const totals = { tests: 1, failures: 0, errors: 1, skipped: 0, time: 0 };
  const suite = { name: printable(name), ...totals, timestamp: formatInstant(atMs).slice(0, 19) };
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'mastra-lease conformance', ...totals })}>`,
    `  <testsuite${attributes(suite)}>`,
    '    <testcase classname="mastra-lease.conformance" name="the backend can be tested" time="0">',
    `      <error${attributes({ message: printable(error.message) })}/>`,
    '    </testcase>',
    '  </testsuite>',
    '</testsuites>',
  ].join('\n')}\n`;
}

function testCase({
  id,
  level,
  sentence,
  result,
  durationMs,
  note,
  evidence,
}: ClauseView): readonly string[] {
  const open = `    <testcase${attributes({
    classname: `mastra-lease.conformance.${level}`,
    name: `${id}: ${sentence}`,
    time: seconds(durationMs),
  })}`;
  const message = printable(note ?? '');
  const lines = evidence ? [`expected ${printable(evidence.expected)}`, ...evidence.timeLine] : [];
  const text = content([sentence, ...(message === '' ? [] : [message]), ...lines].join('\n'));
  switch (result) {
    case 'passed':
      return message === ''
        ? [`${open}/>`]
        : [`${open}>`, `      <system-out>${content(message)}</system-out>`, CLOSE];
    case 'failed':
      return [
        `${open}>`,
        `      <failure${attributes({ message, type: 'contract' })}>${text}</failure>`,
        CLOSE,
      ];
    case 'reported':
    case 'not shown':
      return [`${open}>`, `      <system-out>${result}: ${text}</system-out>`, CLOSE];
    case 'skipped':
      return [`${open}>`, `      <skipped${attributes({ message })}/>`, CLOSE];
  }
}

const CLOSE = '    </testcase>';

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(
      ([name, value]) =>
        ` ${name}="${content(String(value)).replaceAll('"', '&quot;').replaceAll('\n', '&#10;')}"`,
    )
    .join('');
}

/** What is printed has no control characters but line ends any more, which XML 1.0 cannot hold. */
function content(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
