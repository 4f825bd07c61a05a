import { describe, expect, it } from 'vitest';
import { runConformance } from '../../src/conformance/run-conformance.js';
import { CorrectLeases, LeaseServer } from './mutants/correct-leases.js';
import { MUTANTS } from './mutants/index.js';

describe.concurrent('a provider that is wrong in one way', () => {
  it.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
    'is caught by the clause meant for it: %s',
    async (_name, { clause, make, require }) => {
      const server = new LeaseServer();
      const { conforms, clauses } = await runConformance(() => make(server), {
        clauses: [clause],
        require: require && [require],
      });
      expect(clauses.map(({ id, result }) => [id, result])).toEqual([[clause, 'failed']]);
      expect(conforms).toBe(false);
    },
  );
});

it('the base that they share fails no clause', async () => {
  const server = new LeaseServer();
  const { clauses } = await runConformance(() => new CorrectLeases(server), {
    require: ['atomic-transfer', 'safe-ttl'],
  });
  const wrong = clauses.filter(({ result }) => result !== 'passed' && result !== 'skipped');
  expect(wrong).toEqual([]);
});
