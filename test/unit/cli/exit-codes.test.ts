import { describe, expect, it } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { EXIT_CODES, exitCodeOf, exitCodeOfError, worstExitCode } from '../../../src/cli/exit-codes.js';
import { version } from '../../../src/cli/version.js';
import { LEASE_ERROR_CODES } from '../../../src/lease/errors.js';

describe('the exit codes', () => {
  it('mean what the documentation says, and whether trying again helps', () => {
    expect(Object.entries(EXIT_CODES).map(([code, { retry }]) => [Number(code), retry])).toEqual([
      [0, ''],
      [1, 'no'],
      [2, 'no'],
      [3, 'later'],
      [4, ''],
      [5, 'no'],
      [6, 'later'],
      [7, 'yes'],
      [8, 'read first'],
      [9, 'no'],
      [10, 'no'],
      [11, 'no'],
      [129, ''],
      [130, ''],
      [143, ''],
    ]);
    expect(EXIT_CODES[3].meaning).toBe('held by another owner');
    expect(EXIT_CODES[4].meaning).toContain('no lease');
    expect(EXIT_CODES[7].meaning).toContain('nothing was changed');
    expect(EXIT_CODES[8].meaning).toContain('unknown');
  });

  it('of an error says what may be concluded from it', () => {
    expect(Object.fromEntries(LEASE_ERROR_CODES.map((code) => [code, exitCodeOfError(code)]))).toEqual({
      ERR_LEASE_INVALID_KEY: 2,
      ERR_LEASE_INVALID_OWNER: 2,
      ERR_LEASE_INVALID_TTL: 2,
      ERR_LEASE_INVALID_CONFIG: 2,
      ERR_LEASE_AMBIGUOUS_KEY: 2,
      ERR_LEASE_WRONG_TYPE: 2,
      ERR_LEASE_UNREACHABLE: 7,
      ERR_LEASE_INCOMPLETE: 7,
      ERR_LEASE_OUTCOME_UNKNOWN: 8,
      ERR_LEASE_UNSUPPORTED: 9,
      ERR_LEASE_UNVERIFIED: 9,
      ERR_LEASE_UNEXPECTED_REPLY: 9,
      ERR_LEASE_NOT_PERMITTED: 10,
      ERR_LEASE_CLOSED: 1,
      ERR_LEASE_CANCELLED: 130,
    });
  });

  it('of an answer is 0 for what was done or is held, 3 for another owner, 4 for no lease', () => {
    const codes: Record<Parameters<typeof exitCodeOf>[0]['status'], number> = {
      held: 0,
      free: 4,
      acquired: 0,
      refreshed: 0,
      released: 0,
      renewed: 0,
      transferred: 0,
      'held-by-other': 3,
      active: 3,
      'no-lease': 4,
      skipped: 0,
    };
    const statuses = [
      ...(['held', 'free', 'acquired', 'refreshed', 'released', 'renewed', 'transferred'] as const),
      ...(['held-by-other', 'active', 'no-lease', 'skipped'] as const),
    ];
    expect(Object.fromEntries(statuses.map((status) => [status, exitCodeOf({ status })]))).toEqual(codes);
  });

  it('of several keys is the one that must not be overlooked', () => {
    expect(worstExitCode([])).toBe(0);
    expect(worstExitCode([0, 0])).toBe(0);
    expect(worstExitCode([0, 4, 3, 0])).toBe(3);
    expect(worstExitCode([4, 2])).toBe(2);
    expect(worstExitCode([2, 7, 3])).toBe(7);
    expect(worstExitCode([7, 8, 10])).toBe(8);
  });
});

it('the version is the one of the package', () => {
  expect(version).toBe(packageJson.version);
});
