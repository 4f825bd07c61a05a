import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { OperationContext } from '../../operations/context.js';
import { release } from '../../operations/release.js';
import { transfer } from '../../operations/transfer.js';
import type { ShownLease, TuiActions, TuiOptions } from '../../tui/index.js';
import type { CliIo } from '../io.js';
import { type CommonOptions, DEFAULT_QUIET } from '../options.js';
import type { Printer } from '../printer.js';
import type { Ending } from './ending.js';

/** Whether there is a terminal to draw on, and keys to read. */
export function hasScreen({ isTerminal, env }: CliIo, { json }: Pick<CommonOptions, 'json'>): boolean {
  return isTerminal.stdin && isTerminal.stdout && json !== true && env.TERM !== 'dumb';
}

/** What is shown on the screen. */
export type Screen = Pick<
  TuiOptions,
  'events' | 'replay' | 'source' | 'isWritable' | 'isReadOnlyContext' | 'actions'
> & {
  readonly ending: Ending;
  /** The lease time of the runtime that is looked at, in milliseconds. */
  readonly leaseTtlMs: number;
};

/** Draws on the whole terminal until it is left, and answers the exit code; what draws is loaded only now. */
export async function runScreen(io: CliIo, printer: Printer, screen: Screen): Promise<number> {
  const { runTui } = await import('../../tui/index.js');
  const { leaseTtlMs, ending, ...options } = screen;
  try {
    return await runTui({
      ...options,
      transferTtlMs: leaseTtlMs,
      io: io.terminal,
      theme: printer.theme,
      clock: io.clock,
      // No file is overwritten by a key press, and what it holds is for whoever pressed the key.
      exportView: (path, text) => writeFile(resolve(io.cwd(), path), text, { flag: 'wx', mode: 0o600 }),
      signal: ending.signal,
    });
  } catch (error) {
    if (ending.isOver && error === ending.signal.reason) return 0;
    throw error;
  }
}

/** The writes of the screen: compare-and-set on the owner that was shown, on exactly that key, and not from a run at work. */
export function screenActions(context: OperationContext, ttlMs: number): TuiActions {
  const target = ({ key }: ShownLease) => ({ by: 'key', key, literal: true }) as const;
  const holder = ({ owner }: ShownLease) => ({ by: 'name', owner }) as const;
  return {
    transfer: (lease, to) =>
      transfer(context, { target: target(lease), from: holder(lease), to, ttlMs, quiet: DEFAULT_QUIET }),
    release: async (lease) => {
      for await (const outcome of release(context, {
        targets: [target(lease)],
        owner: holder(lease),
        quiet: DEFAULT_QUIET,
      })) {
        return outcome;
      }
      throw new Error('The release had no outcome');
    },
  };
}
