import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildOneFile } from '../../scripts/one-file/build.js';
import { lease } from '../cli/lease-cli.js';
import { openShell, type Shell } from '../cli/shell.js';
import { type Block, documentedPages, placeOf, REPOSITORY, readBlocks, readPage } from './blocks.js';
import { asShown, readConsole, runConsole, type Shown, withoutTimes } from './console.js';
import { openStage, type Stage } from './scenes.js';

/*
 * Every block of `sh`, `bash` and `console` in the README and in docs is run as it stands, but for those that say why not:
 *
 *     ```sh no-run it takes a cluster
 *
 * A comment before a block, `run: SCENE`, says what is the matter when it is run; `run: SCENE, answers y` also what is
 * typed at its questions. What a `console` shows is compared, but for times. `npm run docs:commands` writes it.
 */

const IS_WRITING = process.env.DOCS === 'write';
const LANGUAGES = ['sh', 'bash', 'console'];

const pages = await documentedPages();
const blocks = (await Promise.all(pages.map(async (page) => readBlocks(page, await readPage(page)))))
  .flat()
  .filter(({ language }) => LANGUAGES.includes(language));
const toRun = blocks.filter(({ info, comment }) => info === '' && !comment.startsWith('recipe: '));

/** As far as the pages need one: two pods, each of which is this host. */
const KUBECTL = `
if [ "$1" = get ]; then printf 'pod/agents-1\\npod/agents-2\\n'; exit; fi
while [ "$1" != -- ]; do shift; done
shift
exec "$@"`;

let stage: Stage;
let shell: Shell;
/** What each console printed, to be written into its page. */
const printed = new Map<Block, readonly Shown[]>();

beforeAll(async () => {
  stage = await openStage();
  shell = await openShell();
  await writeFile(join(shell.path, 'package.json'), '{}');
  await shell.add('node', `exec '${process.execPath}' "$@"`);
  await shell.add('kubectl', KUBECTL);
  await copyFile(await buildOneFile(), join(shell.path, 'mastra-lease.mjs'));
  await shell.add('deploy.sh', 'echo "deployed to $1"');
});
afterAll(async () => {
  await shell[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
  if (IS_WRITING) await writePages();
});

function environment(): Readonly<Record<string, string>> {
  return { REDIS_URL: stage.site.name };
}

function readRun({ comment }: Block): { readonly scene: string; readonly answers: readonly string[] } {
  const [, scene = 'nothing', answers = ''] = /^run: ([\w-]+)(?:, answers (.*))?$/.exec(comment) ?? [];
  return { scene, answers: answers === '' ? [] : answers.split(' ') };
}

test.each(toRun.map((block) => [placeOf(block), block] as const))(
  'does what it is there for, and prints what it shows: %s',
  async (_, block) => {
    await stage.play(readRun(block).scene);
    if (block.language === 'console') await compareConsole(block);
    else await runScript(block);
  },
);

async function compareConsole(block: Block): Promise<void> {
  const shown = readConsole(block.text);
  const commands = shown.map(({ command }) => command);
  const { answers } = readRun(block);
  const outputs = await runConsole(commands, { shell, env: environment(), answers });
  const found = shown.map(({ command }, index) => ({
    command,
    output: asShown(outputs[index] ?? [], stage.site.name),
  }));
  printed.set(block, found);
  if (!IS_WRITING) expect(found.map(comparable)).toEqual(shown.map(comparable));
}

async function runScript(block: Block): Promise<void> {
  const result = await lease([block.text], {
    command: [`/bin/${block.language}`, '-ec'],
    cwd: shell.path,
    env: { ...environment(), PATH: shell.searchPath },
  });
  expect(result.exitCode, result.stdout + result.stderr).toBe(0);
}

describe('a block that is not run', () => {
  test.each(blocks.filter(({ info }) => info !== '').map((block) => [placeOf(block), block] as const))(
    '%s says why',
    (_, { info }) => {
      expect(info).toMatch(/^no-run \S+ \S+/);
    },
  );

  test('by this test is a recipe of the page that has a test of its own', () => {
    const recipes = blocks.filter(({ comment }) => comment.startsWith('recipe: '));
    expect([...new Set(recipes.map(({ page }) => page))]).toEqual(['docs/ci.md']);
  });
});

/** Some minutes after midnight an event of the day before is told with its date, which may take a line of its own. */
function comparable({ command, output }: Shown): Shown {
  const text = output.map(withoutTimes).join('\n');
  const withoutDates = text
    .replace(/\nregistered INSTANT/g, ' · registered TIME')
    .replace(/([a-z]) INSTANT/g, '$1 TIME');
  return { command, output: withoutDates.split('\n') };
}

/** Puts what was printed into the pages, where it differs by more than times; from the end, so that places stay right. */
async function writePages(): Promise<void> {
  for (const page of pages) {
    let document = await readPage(page);
    for (const [block, found] of [...printed].reverse()) {
      if (block.page !== page || isSame(found, readConsole(block.text))) continue;
      const rest = document.slice(block.at + block.text.length);
      document = `${document.slice(0, block.at)}${found.map(asText).join('\n')}\n${rest}`;
    }
    await writeFile(join(REPOSITORY, page), document);
  }
}

function isSame(found: readonly Shown[], shown: readonly Shown[]): boolean {
  return JSON.stringify(found.map(comparable)) === JSON.stringify(shown.map(comparable));
}

function asText({ command, output }: Shown): string {
  return [`$ ${command.replaceAll('\n', '\n> ')}`, ...output].join('\n');
}
