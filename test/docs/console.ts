import type { Shell } from '../cli/shell.js';
import { startTerminal } from '../support/terminal.js';

/** How wide the terminal is that the pages show, in columns. */
const COLUMNS = 124;

/** The Redis that the pages show. */
const SHOWN_REDIS = 'redis://127.0.0.1:6379';

/** A command of a console, and what the page shows that it prints. */
export interface Shown {
  readonly command: string;
  readonly output: readonly string[];
}

/** Takes a console apart: a command begins with `$ `, and goes on in lines that begin with `>`. */
export function readConsole(text: string): readonly Shown[] {
  const shown: { command: string; output: string[] }[] = [];
  for (const line of text.trimEnd().split('\n')) {
    const last = shown.at(-1);
    if (line.startsWith('$ ')) shown.push({ command: line.slice(2), output: [] });
    else if (!last) throw new Error(`Expected a command after "$ ", got ${line}`);
    else if (line.startsWith('> ') && last.output.length === 0) last.command += `\n${line.slice(2)}`;
    else last.output.push(line);
  }
  return shown;
}

/** What a console runs with. */
export interface ConsoleSetting {
  readonly shell: Shell;
  readonly env: Readonly<Record<string, string>>;
  /** What is typed at each question, in their order. */
  readonly answers: readonly string[];
}

const MARK = '@@@';
const QUESTION = /\(y\/N\) *$/m;

/** Runs the commands in one shell on a terminal, and answers what each of them left there. */
export async function runConsole(
  commands: readonly string[],
  { shell, env, answers }: ConsoleSetting,
): Promise<readonly (readonly string[])[]> {
  const script = [
    `mark() { code=$?; printf '${MARK}\\n'; return $code; }`,
    ...commands.flatMap((command) => ['mark', command]),
    'mark',
  ].join('\n');
  await using terminal = await startTerminal([script], {
    columns: COLUMNS,
    rows: 60,
    command: ['/bin/sh', '-c'],
    env: { PATH: shell.searchPath, NO_COLOR: '1', ...env },
    cwd: shell.path,
  });
  for (const answer of answers) {
    await terminal.waitForScreen(QUESTION);
    terminal.type(`${answer}\r`);
  }
  await terminal.end();
  return terminal.wholeLines
    .join('\n')
    .split(`${MARK}\n`)
    .slice(1)
    .map((output) => output.replace(MARK, '').trimEnd())
    .slice(0, commands.length)
    .map((output) => (output === '' ? [] : output.split('\n')));
}

/** What was printed, as the pages show it: on the usual port, by nobody in particular. */
export function asShown(output: readonly string[], redisUrl: string): readonly string[] {
  return output.map((line) =>
    line
      .replaceAll(redisUrl, SHOWN_REDIS)
      .replaceAll(redisUrl.replace('redis://', ''), SHOWN_REDIS.replace('redis://', ''))
      .replace(/\b[\w.-]+@[\w.-]+:\d+:[0-9a-f]{8}\b/g, 'ops@laptop:4711:5d0c1f9e')
      .replace(/(audit: )\S+@\S+/, '$1ops@laptop'),
  );
}

/** Takes out of a line what is another each time: times, sizes, and the spaces that depend on them. */
export function withoutTimes(line: string): string {
  return line
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/g, 'INSTANT')
    .replace(/\d\d:\d\d:\d\dZ/g, 'TIME')
    .replace(/\d+(\.\d+)? (ms|s|min|h|d)\b( \d+ (s|min|h)\b)?/g, 'LONG')
    .replace(/\d+(\.\d+)? [kM]?B\b/g, 'SIZE')
    .replace(/\b[0-9a-f]{40}\b/g, 'RUN-ID')
    .replace(/ {2,}/g, '  ')
    .trim();
}
