import { CLAUSES } from '../../src/conformance/clauses/index.js';
import type { ClauseReport, ConformanceReport } from '../../src/conformance/report.js';
import { markdownTable } from '../support/generated-part.js';
import { MUTANTS } from './mutants/index.js';
import type { Mutant } from './mutants/mutant.js';

/** What each clause means, where it is written, and how many wrong providers it is there to catch. */
export function clausesPart(): string {
  return markdownTable(
    ['clause', 'level', 'what must hold', 'written in', 'mutants'],
    CLAUSES.map(({ id, level, sentence, source }) => [
      `\`${id}\``,
      level,
      sentence,
      source,
      String(MUTANTS.filter(({ clause }) => clause === id).length || '·'),
    ]),
  );
}

/** What the providers that must fail no clause came to. */
export function providersPart(reports: ReadonlyMap<string, ConformanceReport>): string {
  return markdownTable(
    [
      'provider',
      'verdict',
      'passed',
      'reported',
      'not shown',
      'skipped',
      'transfer',
      'scope',
      'what is reported',
    ],
    [...reports].map(([name, report]) => {
      const count = (result: ClauseReport['result']) =>
        String(report.clauses.filter((clause) => clause.result === result).length);
      const declared =
        report.traits.atomicTransfer === undefined ? 'unstated' : report.traits.atomicTransfer ? 'yes' : 'no';
      return [
        name,
        report.conforms ? 'conforms' : 'does not conform',
        count('passed'),
        count('reported'),
        count('not shown'),
        count('skipped'),
        `${report.atomicTransfer ?? 'not measured'} (declared: ${declared})`,
        `${report.scope.value} (${report.scope.by})`,
        report.clauses
          .filter(({ result }) => result === 'reported')
          .map(({ id, note }) => `\`${id}\`: ${note}`)
          .join('; ') || '·',
      ];
    }),
  );
}

/** The start of a mutant's row: all of it that does not depend on a run. */
export function mutantCells({ name, clause, require }: Mutant): readonly string[] {
  return [name, `\`${clause}\`${require ? ` with \`--require ${require}\`` : ''}`];
}

/** Which clause was meant to catch each mutant, whether it did, and which others did too. */
export function mutantsPart(reports: ReadonlyMap<Mutant, ConformanceReport>): string {
  return markdownTable(
    ['wrong in this way', 'meant to be caught by', 'caught', 'also caught by'],
    [...reports].map(([mutant, { clauses }]) => {
      const failed = clauses.filter(({ result }) => result === 'failed').map(({ id }) => id);
      const others = failed.filter((id) => id !== mutant.clause);
      return [
        ...mutantCells(mutant),
        failed.includes(mutant.clause) ? 'yes' : 'NO',
        others.map((id) => `\`${id}\``).join(', ') || '·',
      ];
    }),
  );
}

/** What shows that a clause was violated. */
export function evidencePart({ clauses }: ConformanceReport, id: string): string {
  const clause = clauses.find((each) => each.id === id);
  if (!clause?.evidence) throw new Error(`There is nothing to show of ${id}`);
  const { result, note, evidence } = clause;
  return [
    '```',
    `${id}  ${result}  ${note}`,
    `expected ${evidence.expected}`,
    ...evidence.timeLine,
    '```',
  ].join('\n');
}

/** How long a run takes with default settings. */
export function timesPart(durationsMs: Readonly<Record<string, number>>): string {
  return markdownTable(
    ['backend', 'a run takes'],
    Object.entries(durationsMs).map(([name, ms]) => [name, `${(ms / 1_000).toFixed(1)} s`]),
  );
}
