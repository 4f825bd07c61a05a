import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { EXIT_CODES } from '../../src/cli/exit-codes.js';
import { lease } from './lease-cli.js';

const VERBS = ['owner', 'list', 'acquire', 'renew', 'transfer', 'release'];

describe('help', () => {
  test('names every verb and every exit code, on stdout', async () => {
    const { stdout, stderr, exitCode } = await lease(['--help']);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    for (const verb of VERBS) expect(stdout).toMatch(new RegExp(`^ +${verb}\\b`, 'm'));
    for (const [code, { meaning }] of Object.entries(EXIT_CODES)) {
      expect(stdout).toMatch(new RegExp(`^ +${code} +${meaning.slice(0, 20).replace(/[()]/g, '\\$&')}`, 'm'));
    }
  });

  test.each(VERBS)('of %s is the same both ways, names its options, and fits in 80 columns', async (verb) => {
    const [flag, command] = await Promise.all([lease([verb, '--help']), lease(['help', verb])]);
    expect(flag).toMatchObject({ stderr: '', exitCode: 0 });
    expect(command.stdout).toBe(flag.stdout);
    for (const option of ['--backend', '--key-prefix', '--timeout', '--json'])
      expect(flag.stdout).toContain(option);
    for (const line of flag.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  test('connects to nothing and needs no backend', async () => {
    const env = { HOME: undefined, CI: '1', MASTRA_LEASE_BACKEND: 'redis://127.0.0.1:1' };
    expect(await lease(['owner', '--help'], { env })).toMatchObject({ stderr: '', exitCode: 0 });
  });
});

test('the version is the package’s', async () => {
  expect(await lease(['--version'])).toMatchObject({
    stdout: `${packageJson.version}\n`,
    stderr: '',
    exitCode: 0,
  });
});
