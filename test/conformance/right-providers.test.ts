import { describe, expect, it } from 'vitest';
import { runConformance } from '../../src/conformance/run-conformance.js';
import { RIGHT_PROVIDERS } from './providers.js';

/** `npm run conformance:seeds` sets it; else only what the suites of `test/contract` leave out is run, once. */
const SEEDS = process.env.CONFORMANCE_SEEDS === undefined ? undefined : Number(process.env.CONFORMANCE_SEEDS);
const NAMES = Object.keys(RIGHT_PROVIDERS).filter(
  (name) => SEEDS !== undefined || /Mastra|@mastra|fixture/.test(name),
);
/** Default settings take less; a busy machine takes longer. */
const RUN_MS = 60_000;

describe.concurrent('a provider that is right', () => {
  it.each(NAMES)(
    'fails no clause by default: %s',
    async (name) => {
      const provider = await RIGHT_PROVIDERS[name]?.();
      if (!provider) throw new Error(`There is no provider ${name}`);
      try {
        for (const seed of seedsOf()) {
          const report = await runConformance(provider.factory, { ...provider.options, seed });
          const wrong = report.clauses.filter(({ result }) => result === 'failed' || result === 'not shown');
          expect(
            wrong.map(({ id, note, evidence }) => ({ seed, id, note, lines: evidence?.timeLine })),
          ).toEqual([]);
          expect(report.conforms).toBe(true);
          if (SEEDS !== undefined) {
            process.stdout.write(`${name}, seed ${seed}: conforms, ${Math.round(report.durationMs)} ms\n`);
          }
        }
      } finally {
        await provider.stop();
      }
    },
    RUN_MS * (SEEDS ?? 1),
  );
});

function seedsOf(): readonly (number | undefined)[] {
  return SEEDS === undefined ? [undefined] : Array.from({ length: SEEDS }, (_, index) => index + 1);
}
