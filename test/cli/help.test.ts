import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { COMMAND_LOADERS } from '../../src/cli/command-loaders.js';
import { COMMAND_GROUPS, COMMAND_NAMES, COMMANDS, type CommandName } from '../../src/cli/command-table.js';
import { EXIT_CODES } from '../../src/cli/exit-codes.js';
import { COMMAND_HELP } from '../../src/cli/help/command-help.js';
import { TOPICS } from '../../src/cli/help/topics.js';
import { VARIABLES } from '../../src/cli/help/variables.js';
import { processIo } from '../../src/cli/io.js';
import { startTerminal } from '../support/terminal.js';
import { lease } from './lease-cli.js';

const COLUMNS = 80;

function expectToFit(text: string): void {
  for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(COLUMNS);
}

describe('help', () => {
  test('names every command under what it is for, and every topic, on one screen', async () => {
    const { stdout, stderr, exitCode } = await lease(['--help']);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    const [, ...groups] = stdout.split(
      new RegExp(`^(?:${Object.values(COMMAND_GROUPS).join('|')}|More:)$`, 'm'),
    );
    for (const [index, group] of Object.keys(COMMAND_GROUPS).entries()) {
      const names = COMMAND_NAMES.filter((name) => COMMANDS[name].group === group);
      expect([...(groups[index] ?? '').matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name)).toEqual(names);
    }
    for (const topic of Object.keys(TOPICS)) expect(stdout).toMatch(new RegExp(`^ +help ${topic} `, 'm'));
    expectToFit(stdout);
    expect(stdout.split('\n').length).toBeLessThanOrEqual(40);
  });

  test('alone and by a flag is the same; no argument at all shows it on stderr and ends with 2', async () => {
    const [flag, short, word, nothing] = await Promise.all([
      lease(['--help']),
      lease(['-h']),
      lease(['help']),
      lease([]),
    ]);
    for (const result of [short, word]) expect(result).toMatchObject({ stdout: flag.stdout, exitCode: 0 });
    expect(nothing).toMatchObject({ stdout: '', stderr: flag.stdout, exitCode: 2 });
  });

  test.concurrent.each(COMMAND_NAMES)(
    'of %s is the same both ways, and has its options, examples, exit codes and variables in 80 columns',
    async (name) => {
      const [flag, command] = await Promise.all([lease([name, '--help']), lease(['help', name])]);
      expect(flag).toMatchObject({ stderr: '', exitCode: 0 });
      expect(command.stdout).toBe(flag.stdout);
      expectToFit(flag.stdout);
      const { examples, exitCodes, variables } = COMMAND_HELP[name];
      for (const { command: example } of examples) expect(flag.stdout).toContain(`\n  ${example}\n`);
      for (const code of Object.keys(exitCodes)) expect(flag.stdout).toMatch(new RegExp(`^ +${code}  `, 'm'));
      for (const variable of variables) expect(flag.stdout).toContain(variable);
      for (const option of [
        '--help',
        ...(TAKES_NO_OUTPUT_OPTIONS.includes(name) ? [] : ['--json', '--quiet']),
      ])
        expect(flag.stdout).toContain(option);
    },
  );

  test('of demo, which has a backend of its own, names no variable', async () => {
    expect((await lease(['help', 'demo'])).stdout).not.toMatch(/^Environment:|MASTRA_|REDIS_URL/m);
  });

  test.concurrent.each(Object.entries(TOPICS))('on %s is its text, in 80 columns', async (name, topic) => {
    const { stdout, stderr, exitCode } = await lease(['help', name]);
    expect({ stdout, stderr, exitCode }).toEqual({ stdout: topic.text(), stderr: '', exitCode: 0 });
    expectToFit(stdout);
  });

  test('on exit codes and on the environment is their one table', async () => {
    const [codes, variables] = await Promise.all([
      lease(['help', 'exit-codes']),
      lease(['help', 'environment']),
    ]);
    for (const [code, { meaning }] of Object.entries(EXIT_CODES)) {
      expect(codes.stdout).toMatch(
        new RegExp(`^ +${code} +${meaning.slice(0, 20).replace(/[()]/g, '\\$&')}`, 'm'),
      );
    }
    for (const name of Object.keys(VARIABLES))
      expect(variables.stdout).toMatch(new RegExp(`^ +${name}( |$)`, 'm'));
  });

  test('fits a terminal of its width', async () => {
    await using terminal = await startTerminal(['help', 'acquire'], { columns: 60, rows: 100 });
    expect(await terminal.end()).toBe(0);
    expect(terminal.lines.filter((line) => line.startsWith('  --tls-ca')).join()).toMatch(
      /^ +--tls-ca <path> +PEM file of the/,
    );
  });

  test('connects to nothing and needs no backend', async () => {
    const env = { HOME: undefined, CI: '1', MASTRA_LEASE_BACKEND: 'redis://127.0.0.1:1' };
    expect(await lease(['owner', '--help'], { env })).toMatchObject({ stderr: '', exitCode: 0 });
  });

  test('after -- belongs to the command that is run', async () => {
    const args = ['exec', 'deploy', '--backend', 'memory:', '--', 'printf', '%s', '--help'];
    expect((await lease(args)).stdout).toBe('--help');
  });
});

const TAKES_NO_OUTPUT_OPTIONS: readonly CommandName[] = ['completion'];

describe('an example', () => {
  const examples = COMMAND_NAMES.flatMap((name) =>
    COMMAND_HELP[name].examples.map(({ command }) => [command] as const),
  );

  test.each(examples)('is understood: %s', async (example) => {
    const lines = example
      .split(' | ')
      .map((part) => /^\w+(?:=| ")\$\((.*)\)"?$/.exec(part)?.[1] ?? part)
      .filter((line) => line !== 'source');
    for (const line of lines) {
      const [program, verb = '', ...args] = shellWords(line);
      expect(program).toBe('mastra-lease');
      const name = COMMAND_NAMES.find((known) => known === verb);
      if (name === undefined) throw new Error(`There is no command ${verb}`);
      const command = new Command(name).exitOverride().configureOutput({ writeErr: () => {} });
      let runs = 0;
      const sealed = await COMMAND_LOADERS[name]();
      sealed.attach(command, { io: processIo(), signal: new AbortController().signal }, () => {});
      command.action(() => {
        runs += 1;
      });
      await command.parseAsync(args, { from: 'user' });
      expect(runs).toBe(1);
    }
  });
});

/** The words of a line as a shell would read it, where it has no more than quotes. */
function shellWords(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  );
}

describe('what was mistyped', () => {
  test.each([
    [['onwer', 'k'], 'Did you mean owner?'],
    [['owner', 'k', '--jsno'], 'Did you mean --json?'],
    [['release', 'k', '--ower', 'x'], 'Did you mean --owner?'],
    [['frobnicate'], 'mastra-lease --help lists the commands'],
    [['list', 'a', 'b'], 'mastra-lease list --help tells what it takes'],
    [['owner', '--backend'], 'mastra-lease owner --help tells what it takes'],
    [['help', 'keyz'], 'did you mean keys?'],
    [['help', 'relase'], 'did you mean release?'],
  ])('%j ends with 2 and what to try next: %s', async (args, next) => {
    const { stdout, stderr, exitCode } = await lease(args);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toMatch(/^error [^\n]+\n$/);
    expect(stderr).toContain(next);
  });
});

test('the version is the package’s', async () => {
  for (const flag of ['--version', '-V'])
    expect(await lease([flag])).toMatchObject({
      stdout: `${packageJson.version}\n`,
      stderr: '',
      exitCode: 0,
    });
});
