import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { TELLING, takeScreenshot } from '../../scripts/screenshot.js';

const PICTURE = fileURLToPath(new URL('../../docs/images/watch.svg', import.meta.url));
const README = fileURLToPath(new URL('../../README.md', import.meta.url));
const HEADINGS = ['KIND', 'RESOURCE', 'THREAD', 'OWNER', 'LEFT', 'HEALTH▾', 'SEEN', 'RENEWALS'];

/** The texts of a picture, row by row; throws where an element is not closed, or a character not escaped. */
function rowsOf(svg: string): readonly string[] {
  const open: string[] = [];
  const rows = new Map<string, string[]>();
  for (const [, end, name = '', attributes = '', isEmpty, text = ''] of svg.matchAll(
    /<(\/?)([a-z]+)((?: [a-zA-Z:-]+="[^"<&]*")*)(\/?)>([^<]*)/g,
  )) {
    if (end) expect(open.pop()).toBe(name);
    else if (!isEmpty) open.push(name);
    expect(text).not.toMatch(/>|&(?!(?:amp|lt|gt);)/);
    const y = / y="(\d+)"/.exec(attributes)?.[1];
    if (name === 'text' && y !== undefined) rows.set(y, [...(rows.get(y) ?? []), text]);
  }
  expect(open).toEqual([]);
  expect(svg.replaceAll(/<\/?[a-z]+(?: [a-zA-Z:-]+="[^"<&]*")*\/?>/g, '')).not.toMatch(/[<>]/);
  return [...rows.values()].map((texts) => texts.join(' '));
}

const headingsIn = (rows: readonly string[]) => rows.find((row) => row.includes('RENEWALS'))?.split(/\s+/);

test('the picture in the README is whole, and shows a lease that is late, renewals and a hand-over', async () => {
  const rows = rowsOf(await readFile(PICTURE, 'utf8'));
  expect(headingsIn(rows)).toEqual(HEADINGS);
  expect(rows.join('\n')).toMatch(TELLING);
  expect(rows.at(-1)).toMatch(/^\? help .* q quit$/);
  expect(await readFile(README, 'utf8')).toContain('](docs/images/watch.svg)');
});

test('the script that made it makes such a picture of the demo', async () => {
  const { svg, lines } = await takeScreenshot(/LATE[\s\S]*transferred/);
  const rows = rowsOf(svg);
  expect(headingsIn(rows)).toEqual(HEADINGS);
  const shown = lines.map((line) => line.replaceAll(/\s+/g, ' ').trim()).filter((line) => line !== '');
  expect(rows.map((row) => row.replaceAll(/\s+/g, ' '))).toEqual(
    shown.map((line) => line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')),
  );
}, 60_000);
