import { describe, expect, it } from 'vitest';
import { CLAUSES } from '../../src/conformance/clauses/index.js';
import { REQUIREMENTS } from '../../src/conformance/levels.js';
import { runConformance } from '../../src/conformance/run-conformance.js';
import { CorrectLeases, LeaseServer } from './mutants/correct-leases.js';
import { MUTANTS } from './mutants/index.js';
import { runMutant } from './mutants/mutant.js';

describe.concurrent('a provider that is wrong in one way', () => {
  it.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
    'is caught by the clause meant for it: %s',
    async (_name, mutant) => {
      const { conforms, clauses } = await runMutant(mutant, { clauses: [mutant.clause] });
      expect(clauses.map(({ id, result }) => [id, result])).toEqual([[mutant.clause, 'failed']]);
      expect(conforms).toBe(false);
    },
  );
});

it('there is one for every clause', () => {
  const meant = new Set(MUTANTS.map(({ clause }) => clause));
  expect(CLAUSES.map(({ id }) => id).filter((id) => !meant.has(id))).toEqual([]);
  expect([...meant].filter((clause) => CLAUSES.every(({ id }) => id !== clause))).toEqual([]);
});

it('the base that they share fails no clause', async () => {
  const server = new LeaseServer();
  const { clauses } = await runConformance(() => new CorrectLeases(server), { require: REQUIREMENTS });
  const wrong = clauses.filter(({ result }) => result !== 'passed' && result !== 'skipped');
  expect(wrong).toEqual([]);
});
