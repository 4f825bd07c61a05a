/**
 * The screen of `watch` on the terminal of this process, fed by the test that started it: it connects to the port given
 * in its first argument, reads a line of JSON a command, and writes a line of JSON for each thing that it was asked to do.
 */
import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';

/** @import { TuiOptions } from '../../src/tui/index.js' */
/** @import { WatchEvent } from '../../src/operations/watch-event.js' */
/** @import { Command, Settings } from './scripted-terminal.js' */

// Built, as it is shipped; it need not be built yet to be checked.
const dist = new URL('../../dist/', import.meta.url).href;
/** @type {typeof import('../../src/tui/index.js')} */
const { runTui } = await import(`${dist}tui/index.js`);
/** @type {typeof import('../../src/output/theme.js')} */
const { makeTheme } = await import(`${dist}output/theme.js`);
/** @type {typeof import('../../src/cli/signals.js')} */
const { watchInterrupts } = await import(`${dist}cli/signals.js`);

/** @type {Settings} */
const settings = JSON.parse(process.argv[3] ?? '{}');
const socket = createConnection(Number(process.argv[2]), '127.0.0.1');
const tell = (/** @type {object} */ message) => void socket.write(`${JSON.stringify(message)}\n`);
tell({ pid: process.pid });
const { signal, stop } = watchInterrupts(process);

/** @type {(write: object) => Promise<import('../../src/operations/outcome.js').KeyOutcome>} */
let answer = async () => {
  throw new Error('no answer was set');
};

/** @returns {AsyncGenerator<WatchEvent>} */
async function* read() {
  for await (const line of createInterface({ input: socket })) {
    /** @type {Command} */
    const command = JSON.parse(line);
    if ('events' in command) yield* command.events;
    else if ('outcome' in command) answer = async () => command.outcome;
    else if ('failure' in command) answer = () => Promise.reject(new Error(command.failure));
    else if ('print' in command) process.stderr.write(command.print);
    else if ('fail' in command) throw new Error(command.fail);
    else
      setTimeout(() => {
        throw new Error(command.crash);
      });
  }
}

const events = read();
const { isWritable = false, isReadOnlyContext = false, replay, source } = settings;

/** @type {TuiOptions} */
const options = {
  events: replay ? (async function* () {})() : events,
  replay,
  source: () =>
    source ?? {
      backend: 'redis://10.0.0.5:6379/0',
      foundBy: '--backend',
      keyPrefix: 'mastra:topic',
      role: 'primary',
      scope: 'network',
    },
  isWritable,
  isReadOnlyContext,
  actions: {
    transfer: (lease, to) => {
      tell({ verb: 'transfer', lease, to });
      return answer({});
    },
    release: (lease) => {
      tell({ verb: 'release', lease });
      return answer({});
    },
  },
  transferTtlMs: 15_000,
  io: { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, signals: process },
  theme: makeTheme({ isTerminal: true, env: process.env, isRefused: settings.isColourRefused === true }),
  clock: { monotonicMs: () => performance.now(), wallMs: () => Date.now() },
  exportView: async (path, text) => tell({ path, text }),
  signal,
};

/** @param {number} code */
const end = (code) => {
  stop();
  // What a program does after its screen: this line must be on the terminal as it was before.
  process.stdout.write(`left with ${code}\n`, () => process.exit(code));
};

runTui(options).then(end, (error) => {
  process.stdout.write(`failed: ${error.message}\n`);
  end(typeof error.exitCode === 'number' ? error.exitCode : 1);
});
