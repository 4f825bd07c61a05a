import { Chalk, type ChalkInstance } from 'chalk';

/** What decides about colour. */
export interface ColourSettings {
  readonly isTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether `--no-color` was given. */
  readonly isRefused: boolean;
}

/** The few meanings that colour carries. Each is always a word as well. */
export interface Theme {
  readonly good: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly strong: (text: string) => string;
}

/** The one gate for colour: `--no-color`, then `NO_COLOR`, then `FORCE_COLOR`, then whether it is a terminal that can. */
export function hasColour({ isTerminal, env, isRefused }: ColourSettings): boolean {
  if (isRefused || env.NO_COLOR) return false;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isTerminal && env.TERM !== 'dumb';
}

export function makeTheme(settings: ColourSettings): Theme {
  const chalk: ChalkInstance = new Chalk({ level: hasColour(settings) ? 1 : 0 });
  return { good: chalk.green, warn: chalk.yellow, bad: chalk.red, dim: chalk.dim, strong: chalk.bold };
}
