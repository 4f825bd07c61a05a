import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { generatedPart, withGeneratedPart } from '../support/generated-part.js';
import { JSON_PARTS } from './json-page.js';

const PAGE = fileURLToPath(new URL('../../docs/exit-codes-and-json.md', import.meta.url));

describe('docs/exit-codes-and-json.md', () => {
  it.each(Object.entries(JSON_PARTS))('has its part %s as `npm run docs:json` writes it', (part, text) => {
    if (process.env.DOCS === 'write')
      writeFileSync(PAGE, withGeneratedPart(readFileSync(PAGE, 'utf8'), part, text()));
    expect(generatedPart(readFileSync(PAGE, 'utf8'), part)).toBe(text());
  });
});
