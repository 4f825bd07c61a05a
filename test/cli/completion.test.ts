import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMAND_NAMES } from '../../src/cli/command-table.js';
import { COMPLETION_SCRIPTS, SHELLS, type Shell } from '../../src/cli/completion/scripts.js';
import { escapeText } from '../../src/lease/text.js';
import { BIN } from '../support/run-cli.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { startTerminal, type TerminalRun } from '../support/terminal.js';
import { waitFor } from '../support/wait-for.js';
import { writeFiles } from './application-folder.js';
import { lease } from './lease-cli.js';
import { openRedisSite, openSqliteSite, type RedisSite } from './lease-site.js';

/** On a busy machine 300 ms may be too short to ask a backend, and nothing is the right answer then. */
const AGAIN = { retry: 3 } as const;

const TAB = '\t';
const ENTER = '\r';

let site: RedisSite;
let folder: TempDir;

beforeAll(async () => {
  site = await openRedisSite();
  folder = await makeTempDir();
  // Completes as the real program does, and shows what any other command line was understood as.
  const program = join(folder.path, 'mastra-lease');
  const show = 'console.log("ARGS " + JSON.stringify(process.argv.slice(1)))';
  await writeFile(
    program,
    `#!/bin/sh\nif [ "$1" = completion ]; then exec '${process.execPath}' '${BIN}' "$@"; fi\nexec '${process.execPath}' -e '${show}' -- "$@"\n`,
  );
  await chmod(program, 0o755);
  await mkdir(join(folder.path, 'deploy'));
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await folder.remove();
});

const environment = (): Record<string, string> => ({
  PATH: `${folder.path}${delimiter}${process.env.PATH}`,
  MASTRA_LEASE_BACKEND: site.name,
  LANG: 'C.UTF-8',
});

/** What the program answers to a shell: values, in their order, and the line that ends them. */
async function ask(
  words: readonly string[],
  options: Parameters<typeof lease>[1] = {},
): Promise<readonly string[]> {
  const result = await lease(['completion', 'fish', '--', ...words], { backend: site.name, ...options });
  expect({ stderr: result.stderr, exitCode: result.exitCode }).toEqual({ stderr: '', exitCode: 0 });
  return result.stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '');
}

/** How each shell is started without anybody's settings, and told to complete. */
const SESSIONS: Readonly<Record<Shell, { readonly command: [string, ...string[]]; readonly setUp: string }>> =
  {
    bash: {
      command: ['bash', '--norc', '--noprofile', '-i'],
      setUp: 'eval "$(mastra-lease completion bash)"',
    },
    zsh: {
      command: ['zsh', '-f', '-i'],
      setUp: 'PROMPT=\'$ \'; autoload -Uz compinit && compinit -u -D; eval "$(mastra-lease completion zsh)"',
    },
    fish: {
      command: ['fish', '-i'],
      setUp:
        'function fish_prompt; echo "\\$ "; end; set -g fish_autosuggestion_enabled 0; mastra-lease completion fish | source',
    },
  };

function isInstalled(shell: Shell): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((place) => existsSync(join(place, shell)));
}

async function open(shell: Shell): Promise<TerminalRun> {
  const { command, setUp } = SESSIONS[shell];
  const terminal = await startTerminal([], {
    command,
    columns: 160,
    rows: 50,
    env: { ...environment(), PS1: '$ ' },
  });
  await terminal.waitForScreen(/[$>#] ?$/m, 20_000);
  terminal.type(`cd ${folder.path}; ${setUp}; echo "set" up${ENTER}`);
  await terminal.waitForScreen(/^set up$/m, 20_000);
  return terminal;
}

/** Types a line with TABs in it and answers the words that the program got. */
async function complete(terminal: TerminalRun, line: string): Promise<readonly string[]> {
  const shown = () => terminal.lines.filter((text) => text.startsWith('ARGS ['));
  const { length } = shown();
  // A shell that is completing reads what was typed meanwhile when it is done.
  terminal.type(`${line}${ENTER}`);
  const words = await waitFor(() => shown()[length], {
    what: `the words of ${line}:\n${terminal.lines.join('\n')}`,
  });
  const parsed: unknown = JSON.parse(words.slice('ARGS '.length));
  return Array.isArray(parsed) ? parsed.map(String) : [];
}

describe.each(SHELLS.filter(isInstalled))('in a real %s', AGAIN, (shell) => {
  const HARD = [
    'a b$x',
    "it's",
    'we"ird`id`',
    '$(touch pwned)',
    '`touch pwned`',
    'key=val',
    'acme/app',
    'q*',
    '~tilde',
    'back\\slash',
    '漢字',
  ];
  let terminal: TerminalRun;

  beforeAll(async () => {
    await site.clear();
    for (const key of ['deploy', 'user-42\0t-1', 'user-42\0t-2', ...HARD])
      await site.hold(key, `run of ${key}`);
    terminal = await open(shell);
  });
  afterAll(() => terminal[Symbol.asyncDispose]());

  test('commands, options and their values', async () => {
    expect(await complete(terminal, `mastra-lease own${TAB}--jso${TAB}deploy`)).toEqual([
      'owner',
      '--json',
      'deploy',
    ]);
    expect(await complete(terminal, `mastra-lease list --heal${TAB}no${TAB}`)).toEqual([
      'list',
      '--health',
      'no-expiry',
    ]);
    expect(await complete(terminal, `mastra-lease list --health=no${TAB}`)).toEqual([
      'list',
      '--health=no-expiry',
    ]);
    expect(await complete(terminal, `mastra-lease wait deploy --until own${TAB}me`)).toEqual([
      'wait',
      'deploy',
      '--until',
      'owner=me',
    ]);
  });

  test('a key of a thread, whose NUL is written with a backslash, unquoted and in quotes', async () => {
    const expected = ['owner', 'user-42\\0t-2'];
    expect(await complete(terminal, `mastra-lease owner us${TAB}2`)).toEqual(expected);
    expect(await complete(terminal, `mastra-lease owner 'us${TAB}2'`)).toEqual(expected);
    expect(await complete(terminal, `mastra-lease owner thread:t-${TAB}2`)).toEqual(['owner', 'thread:t-2']);
    expect(await complete(terminal, `mastra-lease owner --thread t-${TAB}1 --resource us${TAB}`)).toEqual([
      'owner',
      '--thread',
      't-1',
      '--resource',
      'user-42',
    ]);
  });

  test.each(HARD)('a key that means something to the shell is inserted as it is written: %s', async (key) => {
    const typed = escapeText(key)
      .slice(0, 2)
      .replace(/[^\w\u0080-\uffff]/g, '\\$&');
    expect(await complete(terminal, `mastra-lease owner ${typed}${TAB}`)).toEqual(['owner', escapeText(key)]);
    expect(await readdir(folder.path)).not.toContain('pwned');
  });

  test('a key of the name of a folder stays the key, and what is typed is never run', async () => {
    expect(await complete(terminal, `mastra-lease owner dep${TAB}`)).toEqual(['owner', 'deploy']);
    terminal.type(`mastra-lease owner $(touch pwned) de${TAB}\u0015`);
    expect(await complete(terminal, 'mastra-lease owner done')).toEqual(['owner', 'done']);
    expect(await readdir(folder.path)).not.toContain('pwned');
  });

  test('names of files where a file is meant', async () => {
    expect(await complete(terminal, `mastra-lease owner k --config mastra-l${TAB}`)).toEqual([
      'owner',
      'k',
      '--config',
      'mastra-lease',
    ]);
  });

  test('nothing, and not a word, where the backend is not there', async () => {
    const dead = 'redis://127.0.0.1:1';
    expect(await complete(terminal, `mastra-lease owner --backend ${dead} dep${TAB}x`)).toEqual([
      'owner',
      '--backend',
      dead,
      'depx',
    ]);
    expect(terminal.lines.filter((line) => /error|refused/i.test(line))).toEqual([]);
  });
});

test.each(SHELLS)(
  'the script of %s says how it is installed, and is what the command prints',
  async (shell) => {
    const { stdout, stderr, exitCode } = await lease(['completion', shell]);
    expect({ stdout, stderr, exitCode }).toEqual({
      stdout: COMPLETION_SCRIPTS[shell],
      stderr: '',
      exitCode: 0,
    });
    expect(stdout).toContain(`mastra-lease completion ${shell}`);
  },
);

test('a shell that it is not for is refused', async () => {
  for (const args of [[], ['tcsh'], ['powershell']])
    expect(await lease(['completion', ...args])).toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(/^error Expected .*bash, zsh, fish/),
      exitCode: 2,
    });
});

describe('a script', () => {
  test('of bash is understood by bash, twice in one shell too', () => {
    const { bash } = COMPLETION_SCRIPTS;
    execFileSync('bash', ['-euc', `${bash}\n${bash}`], { stdio: 'pipe' });
  });

  // Where these shells are not installed, the sessions above are left out: what is wrong in their grammar shows here.
  test('of zsh has the grammar that zsh shares with bash', () => {
    execFileSync('bash', ['-n'], { input: COMPLETION_SCRIPTS.zsh, stdio: 'pipe' });
  });

  test('of fish ends each block that it begins, and no other', () => {
    let depth = 0;
    for (const line of COMPLETION_SCRIPTS.fish.split('\n')) {
      const [word = ''] = line.trim().split(' ');
      if (['function', 'for', 'switch', 'if', 'while', 'begin'].includes(word)) depth += 1;
      if (word === 'end') depth -= 1;
      expect(depth).toBeGreaterThanOrEqual(0);
    }
    expect(depth).toBe(0);
  });
});

describe('what may come', AGAIN, () => {
  test('first is every command', async () => {
    expect(await ask([''])).toEqual([...COMMAND_NAMES, 'help', ':4']);
    expect(await ask(['help', 'ex'])).toEqual(['exec', 'exit-codes', ':4']);
    expect(await ask(['-'])).toEqual(['-h', '-V', ':4']);
    expect(await ask(['frobnicate', ''])).toEqual([':4']);
  });

  test('after a command are all its options, by their long names', async () => {
    const { stdout } = await lease(['release', '--help']);
    const flags = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag);
    expect([...(await ask(['release', '--']))].sort()).toEqual([...flags, ':4'].sort());
  });

  test('are keys, owners, threads and resources that are held, on the backend that the line names', async () => {
    await using sqlite = await openSqliteSite();
    await sqlite.hold('user-9\0intro', 'run-1');
    await sqlite.hold('deploy', 'job-1');
    const line = (...words: string[]) => ask(['release', '--backend', sqlite.name, ...words]);
    expect([...(await line(''))].sort()).toEqual([':4', 'deploy', 'user-9\\0intro']);
    expect([...(await line('--owner', ''))].sort()).toEqual([':4', 'job-1', 'run-1']);
    expect(await line('--thread', '')).toEqual(['intro', ':4']);
    expect(await line('--resource', '')).toEqual(['user-9', ':4']);
    expect(await line('--', 'dep')).toEqual(['deploy', ':4']);
  });

  test('are the contexts of a config, and its leases, unless it would have to be run', async () => {
    await using project = await makeTempDir();
    await site.hold('deploy', 'job-1');
    const config = { contexts: { prod: { backend: site.name }, staging: { backend: 'redis://staging' } } };
    await writeFiles(project.path, { 'package.json': {}, 'mastra-lease.config.json': config });
    const env = { MASTRA_LEASE_BACKEND: undefined };
    expect(await ask(['owner', '--context', ''], { cwd: project.path, env })).toEqual([
      'prod',
      'staging',
      ':4',
    ]);
    expect(await ask(['owner', '--context', 'prod', 'de'], { cwd: project.path, env })).toEqual([
      'deploy',
      ':4',
    ]);
    await using code = await makeTempDir();
    const trap = `import { writeFileSync } from 'node:fs'; writeFileSync('${code.path}/ran', ''); export default ${JSON.stringify(config)};`;
    await writeFiles(code.path, {
      'package.json': {},
      'mastra-lease.config.mjs': trap,
      'src/mastra/index.mjs': trap,
      'pubsub.mjs': trap,
    });
    for (const words of [
      ['--context', ''],
      ['--context', 'prod', ''],
      [''],
      ['--backend', './pubsub.mjs', ''],
      ['--backend', 'mastra:.', ''],
    ])
      expect(await ask(['owner', ...words], { cwd: code.path, env })).toEqual([':4']);
    expect(await readdir(code.path)).not.toContain('ran');
  });

  test('is nothing, in time, where the backend does not answer or is not there, and nothing is made', async () => {
    await using proxy = await startTcpProxy(site.server);
    proxy.pause();
    await using home = await makeTempDir();
    const silent = await lease(['completion', 'bash', '--', 'mastra-lease owner ', ''], {
      backend: proxy.url,
    });
    expect(silent).toMatchObject({ stdout: ':4\n', stderr: '', exitCode: 0 });
    // The limit is 300 ms; what is left is the start of a process on a busy machine.
    expect(silent.durationMs).toBeLessThan(5_000);
    const env = { MASTRA_LEASE_BACKEND: undefined, HOME: home.path };
    for (const words of [
      [''],
      ['--backend', `sqlite:${home.path}/x.db`, ''],
      ['--backend', 'nonsense', ''],
      ['--timeout', ''],
    ])
      expect(await ask(['owner', ...words], { env })).toEqual([':4']);
    expect(await readdir(home.path)).toEqual([]);
  });

  test('is nothing rather than a part: a listing that is not done in time shows no key', async () => {
    await using big = await openRedisSite();
    await big.client.eval("for i = 1, 200000 do redis.call('set', 'other:' .. i, 'x') end", 0);
    await big.hold('deploy', 'job-1');
    await using slow = await startTcpProxy(big.server);
    slow.setRoundTripMs(120);
    expect(await ask(['owner', ''], { backend: slow.url })).toEqual([':4']);
  });
});
