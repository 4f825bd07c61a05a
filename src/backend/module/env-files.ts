import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'dotenv';
import { InvalidConfigError } from '../../lease/errors.js';
import { escapeText } from '../../lease/text.js';

/** The files that `mastra dev` looks for in a project, in its order. It reads the first that exists, and only that one. */
const ENV_FILES = ['.env.development', '.env.local', '.env'] as const;

/** What was read, and where from. */
export interface EnvFiles {
  /** The absolute paths of the files that were read. */
  readonly files: readonly string[];
  /** May hold secrets: never shown. */
  readonly values: Readonly<Record<string, string>>;
}

/**
 * Reads a project's environment as `mastra dev` does, by the rules of `dotenv`; `envFile`, an absolute path, is read
 * instead.
 *
 * @throws `ERR_LEASE_INVALID_CONFIG` for an `envFile` that cannot be read, and for a project's file that is unreadable.
 */
export function readEnvFiles(root: string, envFile?: string): EnvFiles {
  const file = envFile ?? ENV_FILES.map((name) => join(root, name)).find(isThere);
  if (file === undefined) return { files: [], values: {} };
  return { files: [file], values: parse(readText(file)) };
}

/** Whether the user has told Mastra to leave these files alone. */
export function skipsEnvFiles(env: Readonly<Record<string, string | undefined>>): boolean {
  return env.MASTRA_SKIP_DOTENV === 'true' || env.MASTRA_SKIP_DOTENV === '1';
}

/** A folder of that name is something else: a virtual environment of Python, say. */
function isThere(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isDirectory();
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new InvalidConfigError(
      `Expected a readable file of variables, got ${escapeText(file)} (${reason})`,
    );
  }
}
