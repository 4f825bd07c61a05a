import { describe, expect, it } from 'vitest';
import { shiftsOf, WORKERS } from '../../../src/cli/demo/plan.js';
import { readWorkerArguments, workerArguments } from '../../../src/cli/demo/worker-arguments.js';

function first(count: number, id: Parameters<typeof shiftsOf>[0]) {
  const shifts = shiftsOf(id);
  return Array.from({ length: count }, () => shifts.next().value);
}

describe('the plan of the demo', () => {
  it('is the same for the same seed, and another for another', () => {
    const id = { seed: 1, worker: 3, life: 0 };
    expect(first(50, id)).toEqual(first(50, id));
    expect(first(50, { ...id, seed: 2 })).not.toEqual(first(50, id));
    expect(first(50, { ...id, life: 1 })).not.toEqual(first(50, id));
  });

  it('has every end of a lease among what the workers do first', () => {
    const ends = Array.from(
      { length: WORKERS },
      (_, worker) => first(1, { seed: 1, worker, life: 0 })[0]?.end,
    );
    for (const end of ['release', 'handover', 'silence', 'crash']) expect(ends).toContain(end);
  });

  it('has runs that nobody else has', () => {
    const runs = Array.from({ length: WORKERS }, (_, worker) => first(20, { seed: 1, worker, life: 0 }))
      .flat()
      .flatMap(({ run, nextRun }) => [run, nextRun]);
    expect(new Set(runs).size).toBe(runs.length);
  });
});

it('a worker reads its task as it was given', () => {
  const task = { folder: '/tmp/a b', database: '/tmp/a b/l.db', seed: 7, worker: 11, life: 2 };
  expect(readWorkerArguments(workerArguments(task))).toEqual(task);
});
