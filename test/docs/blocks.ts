import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository that the pages are of. */
export const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

/** A fenced block of a page. */
export interface Block {
  /** The page's path in the repository. */
  readonly page: string;
  /** The line of its first fence, counted from 1. */
  readonly line: number;
  readonly language: string;
  /** What stands after the language. */
  readonly info: string;
  /** What the comment on the line before it says: `recipe: trap`, `run: incident`. */
  readonly comment: string;
  readonly text: string;
  /** Where its text begins in the page. */
  readonly at: number;
}

/** The README and the pages of `docs`, without those that are generated from the code. */
export async function documentedPages(): Promise<readonly string[]> {
  const pages = await readdir(join(REPOSITORY, 'docs'));
  return ['README.md', ...pages.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];
}

export function readPage(page: string): Promise<string> {
  return readFile(join(REPOSITORY, page), 'utf8');
}

/** The fenced blocks of a page, in their order. */
export function readBlocks(page: string, document: string): readonly Block[] {
  return [...document.matchAll(FENCED)].map(({ 0: whole, index, groups = {} }) => {
    const { comment = '', language = '', info = '', text = '' } = groups;
    const line = document.slice(0, index).split('\n').length + (comment === '' ? 0 : 1);
    const at = index + whole.length - '```'.length - text.length;
    return { page, line, language, info: info.trim(), comment, text, at };
  });
}

const FENCED = /^(?:<!-- (?<comment>[^\n]*?) -->\n)?```(?<language>\w*)(?<info>[^\n]*)\n(?<text>.*?)^```$/gms;

/** Where a block is, for the name of a test. */
export function placeOf({ page, line }: Block): string {
  return `${page}:${line}`;
}
