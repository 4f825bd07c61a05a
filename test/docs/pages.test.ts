import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.js';
import { BACKEND_FORMS } from '../../src/cli/help/backend-topic.js';
import { VARIABLES } from '../../src/cli/help/variables.js';
import { REPOSITORY, readPage } from './blocks.js';

const INDEX = 'docs/README.md';
/** The index of the reference, which has its own pages. */
const API = 'docs/api/README.md';
/** Folders with pages that are not ours, or not for readers. */
const ELSEWHERE = ['node_modules', 'dist', 'dist-one-file', '.git', '.changeset', 'fixtures'];

const pages = await markdownIn('');
const documents = new Map(
  await Promise.all(pages.map(async (page) => [page, await readPage(page)] as const)),
);

async function markdownIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(REPOSITORY, folder), { withFileTypes: true });
  const found = entries.map(async (entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ELSEWHERE.includes(entry.name) ? [] : markdownIn(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
  return (await Promise.all(found)).flat();
}

/** The links of a page that lead into the repository, as they are written. */
function linksOf(document: string): readonly string[] {
  const prose = document.replace(/^```.*?^```$/gms, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors of a page, as GitHub makes them of its headings (the second of a name ends in -1), and those that it sets. */
function anchorsOf(document: string): readonly string[] {
  const counts = new Map<string, number>();
  const ofHeadings = [...document.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
  return [...ofHeadings, ...[...document.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)];
}

describe('the index', () => {
  const index = documents.get(INDEX) ?? '';
  const lines = index.split('\n').filter((line) => line.startsWith('- '));

  test('has every page of docs, and what is at the top of the repository, on a line of its own', () => {
    const wanted = pages.filter((page) => {
      const folder = dirname(page);
      return (
        page === API || (folder === 'docs' && page !== INDEX) || (folder === '.' && page !== 'README.md')
      );
    });
    const linked = lines.map((line) => /^- \[[^\]]+\]\(([^)]+)\): \S/.exec(line)?.[1] ?? line);
    expect(linked.map((target) => normalize(join('docs', target))).sort()).toEqual([...wanted].sort());
  });

  test('says what each is for in one line', () => {
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(140);
  });
});

test.each(pages)('every link of %s leads somewhere', (page) => {
  for (const target of linksOf(documents.get(page) ?? '')) {
    const [path = '', anchor] = target.split('#');
    const linked = path === '' ? page : normalize(join(dirname(page), path));
    expect(existsSync(join(REPOSITORY, linked)), `${page}: ${target}`).toBe(true);
    if (anchor !== undefined)
      expect(anchorsOf(documents.get(linked) ?? ''), `${page}: ${target}`).toContain(anchor);
  }
});

describe('the README', () => {
  const readme = documents.get('README.md') ?? '';

  test('is short', () => {
    expect(readme.split('\n').length).toBeLessThan(200);
  });

  test('has the exit codes of the one table', () => {
    const rows = [...readme.matchAll(/^\| (\d+) \| (.*?) \|(.*?)\|$/gm)].map(([, code, meaning, retry]) => [
      code,
      meaning,
      retry?.trim(),
    ]);
    expect(rows).toEqual(
      Object.entries(EXIT_CODES).map(([code, { meaning, retry }]) => [code, meaning, retry]),
    );
  });

  test('has the backends of `help backends`', () => {
    const rows = [...readme.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)].map(([, name, where]) => [name, where]);
    expect(rows).toEqual(BACKEND_FORMS);
  });
});

test('every variable of `help environment` is in the page about configuration', () => {
  const page = documents.get('docs/configuration.md') ?? '';
  for (const name of Object.keys(VARIABLES)) expect(page).toMatch(new RegExp(`^\\| .*\`${name}\``, 'm'));
});
