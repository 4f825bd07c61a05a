import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { types } from 'node:util';
import { InvalidConfigError, isLeaseError } from '../../lease/errors.js';
import { withoutUserInfo } from '../../lease/redact.js';
import { escapeText } from '../../lease/text.js';
import type { LoadModule } from '../module/load-module.js';
import { readJson } from './json.js';
import { place } from './place.js';
import { hasPackageField } from './search-places.js';

/** How long a config may take to load, in milliseconds: as long as any module. */
const LOAD_DEADLINE_MS = 30_000;

/** What reading a config file depends on. */
export interface ReadOptions {
  readonly platform: NodeJS.Platform;
  readonly loadModule: LoadModule;
  /** Whether the user named this very file: whoever may write it is then the user's business. */
  readonly isNamed: boolean;
}

/** Reads what a JSON file holds; of a package.json only the field that is a config. */
export function readJsonFile(file: string, content: string, options: ReadOptions): unknown {
  const reading = readJson(content);
  if (!('value' in reading)) {
    throw new InvalidConfigError(
      `${escapeText(file)}: line ${reading.line}, column ${reading.column}: not JSON`,
      {
        remedy: 'JSON has double quotes, no comments and no comma after the last item',
      },
    );
  }
  const { value } = reading;
  if (basename(file) !== 'package.json') {
    assertNotWritableByAll(file, options);
    return value;
  }
  if (!hasPackageField(value)) {
    if (!options.isNamed) return {};
    throw new InvalidConfigError(`${place(file, [])}: expected a config, got nothing`);
  }
  assertNotWritableByAll(file, options);
  return value;
}

/** Runs a TypeScript or JavaScript file and returns its default export. */
export async function readModuleFile(file: string, options: ReadOptions): Promise<unknown> {
  assertNotWritableByAll(file, options);
  const exports = await load(file, options.loadModule);
  const { default: value, ...others } = exports;
  if (value !== undefined && !types.isPromise(value)) return value;
  const names = Object.keys(others).map(escapeText).join(', ');
  const got = value !== undefined ? 'a promise' : names === '' ? 'no export' : `only ${names}`;
  throw new InvalidConfigError(`${escapeText(file)}: expected a config as its default export, got ${got}`);
}

async function load(file: string, loadModule: LoadModule): Promise<Record<string, unknown>> {
  try {
    return await loadModule(file, { deadlineMs: LOAD_DEADLINE_MS });
  } catch (error) {
    if (isLeaseError(error)) throw error;
    const [reason = ''] = withoutUserInfo(String(error)).split('\n');
    throw new InvalidConfigError(`${escapeText(file)}: it does not load: ${escapeText(reason)}`);
  }
}

/** A config chooses what is run and where passwords go: one that anybody may write is not taken, as ssh does. */
function assertNotWritableByAll(file: string, { platform, isNamed }: ReadOptions): void {
  if (isNamed || platform === 'win32' || (statSync(file).mode & 0o002) === 0) return;
  throw new InvalidConfigError(
    `${escapeText(file)}: every user of this host may write it, so it is not used`,
    {
      remedy: `chmod o-w ${escapeText(file)}, or name it by --config`,
    },
  );
}
