import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { generatedPart, withGeneratedPart } from '../support/generated-part.js';
import type { FaultReport } from './cell.js';
import { DOCUMENT, detail, details, documentedDetail, kindsIn, overview } from './document.js';
import { FAULTS } from './faults/index.js';
import { brokenPromises } from './promises.js';
import { runFault } from './run-fault.js';

/** `npm run faults:docs` sets it: then one fault after the other is run, and the results are written. */
const IS_WRITING = process.env.DOCS === 'write';

/** The tables of the document that have a line for each fault. */
const OVERVIEWS = [
  ['command line', 'cli'],
  ['library', 'library'],
] as const;

describe
  .runIf(!IS_WRITING)
  .concurrent('no promise is broken, and it is as docs/faults.md has it, when', () => {
    test.for(FAULTS)('$name: $sentence', { timeout: 120_000 }, async (fault) => {
      const report = await runFault(fault);
      expect(brokenPromises(report)).toEqual([]);
      const document = await readFile(DOCUMENT, 'utf8');
      const documented = documentedDetail(generatedPart(document, 'details'), fault);
      expect(kindsIn(detail(report))).toEqual(kindsIn(documented));
      for (const [part, surface] of OVERVIEWS) {
        expect(generatedPart(document, part)).toContain(overview([report], surface).split('\n').at(-1));
      }
    });
  });

test.runIf(IS_WRITING)(
  'npm run faults:docs writes what each verb comes to',
  async () => {
    const reports: FaultReport[] = [];
    for (const fault of FAULTS) {
      const report = await runFault(fault);
      expect(brokenPromises(report)).toEqual([]);
      reports.push(report);
    }
    let document = await readFile(DOCUMENT, 'utf8');
    for (const [part, surface] of OVERVIEWS) {
      document = withGeneratedPart(document, part, overview(reports, surface));
    }
    document = withGeneratedPart(document, 'details', details(reports));
    await writeFile(DOCUMENT, document);
  },
  1_200_000,
);

test('docs/faults.md has the faults that are tried, and no others', async () => {
  const generated = generatedPart(await readFile(DOCUMENT, 'utf8'), 'details');
  expect([...generated.matchAll(/^### (.*)$/gm)].map(([, name]) => name)).toEqual(
    FAULTS.map(({ name }) => name),
  );
});
