import { beforeEach, describe, expect, it } from 'vitest';
import { CommandBudget } from '../../../src/cli/budget.js';

describe('the time of a command', () => {
  let nowMs: number;
  const clock = { monotonicMs: () => nowMs, wallMs: () => nowMs };

  beforeEach(() => {
    nowMs = 1_000;
  });

  it('as a whole runs down, and a read may use all that is left', () => {
    const budget = CommandBudget.whole(5_000, clock);
    expect(budget.forCall('read')).toBe(5_000);
    nowMs += 3_000;
    expect(budget.forCall('read')).toBe(2_000);
    nowMs += 3_000;
    expect(budget.forCall('read')).toBe(0);
  });

  it('leaves a write a part for reading back: a quarter, at most a second', () => {
    const budget = CommandBudget.whole(8_000, clock);
    expect(budget.forCall('write')).toBe(7_000);
    nowMs += 6_000;
    expect(budget.forCall('write')).toBe(1_500);
    expect(CommandBudget.whole(100, clock).forCall('write')).toBe(75);
  });

  it('for each call does not run down', () => {
    const budget = CommandBudget.eachCall(5_000, clock);
    nowMs += 60_000;
    expect(budget.forCall('read')).toBe(5_000);
  });

  it('starts anew after a person was asked', () => {
    const budget = CommandBudget.whole(5_000, clock);
    nowMs += 60_000;
    budget.restart();
    expect(budget.forCall('read')).toBe(5_000);
  });

  it('is for each call once a command that has answered goes on', () => {
    const budget = CommandBudget.whole(5_000, clock);
    nowMs += 60_000;
    budget.goOn();
    expect(budget.forCall('read')).toBe(5_000);
  });
});
