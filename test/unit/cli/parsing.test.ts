import { Command, CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import type { CommandModule } from '../../../src/cli/command.js';
import { acquire } from '../../../src/cli/commands/acquire.js';
import { list } from '../../../src/cli/commands/list.js';
import { owner } from '../../../src/cli/commands/owner.js';
import { release } from '../../../src/cli/commands/release.js';
import { renew } from '../../../src/cli/commands/renew.js';
import { transfer } from '../../../src/cli/commands/transfer.js';

/** What a command was asked, read off its arguments without running it. */
async function parse<Input>({ declare }: CommandModule<Input>, args: readonly string[]): Promise<Input> {
  const inputs: Input[] = [];
  const command = new Command('verb').exitOverride().configureOutput({ writeErr: () => {} });
  declare(command, async (input) => void inputs.push(input));
  await command.parseAsync([...args], { from: 'user' });
  const [input] = inputs;
  if (input === undefined || inputs.length !== 1)
    throw new Error(`The command was run ${inputs.length} times`);
  return input;
}

const EVERYWHERE = [
  ['--backend', 'redis://h', { backend: 'redis://h' }],
  ['--key-prefix', 'mastra:my-app', { keyPrefix: 'mastra:my-app' }],
  ['--username', 'ops', { username: 'ops' }],
  ['--password-file', '/run/secret', { passwordFile: '/run/secret' }],
  ['--tls-servername', 'cache', { tlsServername: 'cache' }],
  ['--tls-ca', '/ca.pem', { tlsCa: '/ca.pem' }],
  ['--tls-insecure', undefined, { tlsInsecure: true }],
  ['--timeout', '2s', { timeout: '2s' }],
  ['--json', undefined, { json: true }],
  ['-q', undefined, { quiet: true }],
  ['--quiet', undefined, { quiet: true }],
  ['-v', undefined, { verbose: true }],
  ['--verbose', undefined, { verbose: true }],
  ['--no-color', undefined, { color: false }],
] as const;

describe.each([
  ['owner', (args: readonly string[]) => parse(owner, args)],
  ['acquire', (args: readonly string[]) => parse(acquire, args)],
  ['release', (args: readonly string[]) => parse(release, args)],
  ['renew', (args: readonly string[]) => parse(renew, args)],
  ['transfer', (args: readonly string[]) => parse(transfer, args)],
  ['list', (args: readonly string[]) => parse(list, args)],
] as const)('%s', (_, run) => {
  it.each(EVERYWHERE)('takes %s', async (flag, value, expected) => {
    const { options } = await run(value === undefined ? [flag] : [flag, value]);
    const { options: without } = await run([]);
    expect(without).toMatchObject({ color: true });
    expect(options).toEqual({ ...without, ...expected });
  });

  it('refuses what it does not know, before anything runs', async () => {
    await expect(run(['--frobnicate'])).rejects.toThrow(CommanderError);
  });
});

describe('keys', () => {
  it.each([
    ['owner', (args: readonly string[]) => parse(owner, args)],
    ['release', (args: readonly string[]) => parse(release, args)],
  ] as const)('are several for %s', async (_, run) => {
    expect(await run([])).toMatchObject({ keys: [] });
    expect(await run(['a', 'b', '--json', 'c'])).toMatchObject({ keys: ['a', 'b', 'c'] });
    expect(await run(['-'])).toMatchObject({ keys: ['-'] });
    expect(await run(['--', '-k', '--json'])).toMatchObject({ keys: ['-k', '--json'] });
  });

  it.each([
    ['acquire', (args: readonly string[]) => parse(acquire, args)],
    ['renew', (args: readonly string[]) => parse(renew, args)],
    ['transfer', (args: readonly string[]) => parse(transfer, args)],
  ] as const)('are one for %s', async (_, run) => {
    expect(await run([])).toMatchObject({ key: undefined });
    expect(await run(['a'])).toMatchObject({ key: 'a' });
    expect(await run(['--thread=-t', '--resource', '', '--literal'])).toMatchObject({
      key: undefined,
      options: { thread: '-t', resource: '', literal: true },
    });
    await expect(run(['a', 'b'])).rejects.toThrow('too many arguments');
  });
});

describe('what only some take', () => {
  const force = ['--force', '--yes', '--dry-run'];
  const forced = { force: true, yes: true, dryRun: true };

  it('acquire: owner, TTL and a dry run, and no force', async () => {
    const { options } = await parse(acquire, ['k', '--owner=-o', '--ttl', '5s', '--dry-run']);
    expect(options).toMatchObject({ owner: '-o', ttl: '5s', dryRun: true });
    await expect(parse(acquire, ['k', '--force'])).rejects.toThrow('unknown option');
  });

  it('release: owner or force, and that a key may be free', async () => {
    const { options } = await parse(release, ['k', '--owner', 'o', '--missing-ok', ...force]);
    expect(options).toMatchObject({ owner: 'o', missingOk: true, ...forced });
    await expect(parse(release, ['k', '--ttl', '5s'])).rejects.toThrow('unknown option');
  });

  it('renew: owner or force, and a TTL', async () => {
    const { options } = await parse(renew, ['k', '--owner', 'o', '--ttl', '5s', '--force', '-y']);
    expect(options).toMatchObject({ owner: 'o', ttl: '5s', force: true, yes: true });
  });

  it('transfer: from or force, to, a TTL, and acquiring afresh', async () => {
    const { options } = await parse(transfer, [
      'k',
      '--from',
      'a',
      '--to',
      'b',
      '--ttl',
      '5s',
      '--or-acquire',
      ...force,
    ]);
    expect(options).toMatchObject({ from: 'a', to: 'b', ttl: '5s', orAcquire: true, ...forced });
    await expect(parse(transfer, ['k', '--owner', 'o'])).rejects.toThrow('unknown option');
  });

  it('list: a pattern, filters, an order and a limit', async () => {
    expect(
      await parse(list, [
        'user-*',
        '--kind',
        'thread',
        '--owner',
        'o',
        '--health',
        'late',
        '--sort',
        'left',
        '--limit',
        '5',
      ]),
    ).toMatchObject({
      pattern: 'user-*',
      options: { kind: 'thread', owner: 'o', health: 'late', sort: 'left', limit: '5' },
    });
    expect(await parse(list, [])).toMatchObject({ pattern: undefined });
  });

  it('owner: nothing that writes', async () => {
    for (const flag of [...force, '--missing-ok']) {
      await expect(parse(owner, ['k', flag])).rejects.toThrow('unknown option');
    }
  });
});
