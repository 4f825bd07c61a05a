import { expect } from 'vitest';
import type { CliResult } from '../support/run-cli.js';

/** It ended with 2, and with one line that says what was expected. */
export function expectRefusal(result: CliResult, message: string | RegExp): void {
  expect(result.stderr).toMatch(/^error [^\n]+\n$/);
  if (typeof message === 'string') expect(result.stderr).toContain(message);
  else expect(result.stderr).toMatch(message);
  expect(result).toMatchObject({ stdout: '', exitCode: 2 });
}
