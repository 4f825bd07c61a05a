import { type Run, runGuarded, sealCommand } from '../command.js';
import { readBashLine } from '../completion/line.js';
import { COMPLETION_SCRIPTS, SHELLS, type Shell } from '../completion/scripts.js';
import type { CompletionRequest } from '../completion/words.js';
import { oneOf } from '../filter-options.js';
import { UsageError } from '../usage-error.js';

interface CompletionInput {
  readonly shell: string | undefined;
  /** What the script of the shell asks with. */
  readonly words: readonly string[];
}

/** `completion <shell>`: the script that a shell completes with; with `-- WORDS` the answer to it. */
export const completion = sealCommand<CompletionInput>({
  declare(command, run) {
    command
      .usage('<shell>')
      .argument('[shell]', SHELLS.join(', '))
      .argument('[words...]', 'what the script asks with')
      .action((shell: string | undefined, words: readonly string[]) => run({ shell, words }));
  },
  run: (run, { shell: written, words }) =>
    runGuarded(run, 'completion', { color: true, introspect: false }, async (printer) => {
      const shell = oneOf(written, SHELLS, 'the shell');
      if (shell === undefined) throw new UsageError(`Expected a shell: ${SHELLS.join(', ')}`);
      if (words.length === 0) await printer.line(COMPLETION_SCRIPTS[shell].trimEnd());
      else await answer(run, shell, words);
      return 0;
    }),
});

async function answer(run: Run, shell: Shell, words: readonly string[]): Promise<void> {
  const { printCompletions } = await import('../completion/words.js');
  await printCompletions(run, READ[shell](words));
}

const READ: Readonly<Record<Shell, (words: readonly string[]) => CompletionRequest>> = {
  // The line up to the cursor, and the end of it that bash replaces.
  bash: ([line = '', replaced = '']) => {
    const { words, current, reply } = readBashLine(line, replaced);
    return { before: words.slice(1), current, reply };
  },
  zsh: asTyped,
  fish: asTyped,
};

/** These shells quote what they insert, and compare it with what is typed: a word with quotes in it is all their business. */
function asTyped(words: readonly string[]): CompletionRequest {
  const current = words.at(-1) ?? '';
  const isPlain = /^[\w./:=@%+,-]*$/.test(current);
  const lead = /^--[a-z-]+=/.exec(current)?.[0] ?? '';
  return { before: words.slice(0, -1), current: isPlain ? current : lead, reply: (word) => word };
}
