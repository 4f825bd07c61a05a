import { dirname } from 'node:path';
import { InvalidConfigError } from '../lease/errors.js';
import { escapeText } from '../lease/text.js';
import type { BackendConfig } from './config/define-config.js';
import {
  type FindConfigOptions,
  type FoundConfig,
  findConfigs,
  searchConfigs,
} from './config/find-config.js';
import { place } from './config/place.js';
import { describeSearch } from './config/search-places.js';
import { defaultOf, type SelectedConfig, selectContext, topOf } from './config/select-context.js';
import { readSpec } from './locate-spec.js';
import type { BackendSpec } from './url.js';

/** A backend that a config names. */
export interface ConfiguredBackend {
  readonly spec: BackendSpec;
  readonly settings: BackendConfig;
  readonly inspect: BackendSpec | undefined;
  readonly context: string | undefined;
  readonly configPath: string;
}

/** The configs that name no backend to take. */
export interface UndecidedConfigs {
  readonly undecided: readonly FoundConfig[];
  /** Why none decides. */
  readonly why: string;
}

/**
 * Chooses a context; `step` is who named it.
 *
 * @throws `ERR_LEASE_INVALID_CONFIG` when no config has it; the message says where they were looked for.
 */
export async function findContext(
  step: string,
  name: string,
  options: FindConfigOptions,
): Promise<ConfiguredBackend> {
  if (name === '') throw new InvalidConfigError(`${step}: expected the name of a context, got nothing`);
  const configs = await findConfigs(options);
  if (configs.length > 0) return configured(selectContext(configs, name), options);
  throw new InvalidConfigError(
    `${step}: there is no context ${escapeText(name)}, since there is no config in ${describeSearch(options.cwd, options)}`,
  );
}

/** Finds the first config that decides without being asked for a context. Those after it are not read. */
export async function findDefault(options: FindConfigOptions): Promise<ConfiguredBackend | UndecidedConfigs> {
  const undecided: FoundConfig[] = [];
  for await (const found of searchConfigs(options)) {
    const selected = defaultOf([found]);
    if (selected) return configured(selected, options);
    undecided.push(found);
  }
  const [first] = undecided;
  if (!first) return { undecided, why: `none in ${describeSearch(options.cwd, options)}` };
  const files = undecided.map(({ path }) => escapeText(path)).join(' and ');
  const why = `${files}: neither a backend nor a defaultContext`;
  if (first.origin === '--config') throw new InvalidConfigError(why, { remedy: chooseContext(undecided) });
  return { undecided, why };
}

/** What to do where configs have contexts and none was chosen. */
export function chooseContext(configs: readonly FoundConfig[]): string | undefined {
  const names = configs.flatMap(({ config }) => Object.keys(config.contexts ?? {}));
  if (names.length === 0) return undefined;
  return `choose a context by --context: ${[...new Set(names)].map(escapeText).join(', ')}`;
}

/**
 * What configs that name no backend say about one found after them. What logs in somewhere is left out: it was not
 * written for that server; but what opens the project's own `inspect` goes with its Mastra project.
 */
export async function settingsFor(
  found: FoundConfig,
  kind: BackendSpec['kind'],
  options: FindConfigOptions,
): Promise<Omit<ConfiguredBackend, 'spec' | 'context'>> {
  const { path, origin, context: _context, ...all } = topOf(found);
  const { username: _username, password: _password, tls: _tls, inspect: _inspect, ...general } = all;
  const settings = kind === 'mastra' && origin === 'project' ? all : general;
  return { settings, inspect: await readInspect(settings, path, [], options), configPath: path };
}

async function configured(
  { context, path, origin: _origin, ...settings }: SelectedConfig,
  options: FindConfigOptions,
): Promise<ConfiguredBackend> {
  const at = context === undefined ? [] : ['contexts', context];
  const field = place(path, [...at, 'backend']);
  if (settings.backend === undefined) {
    throw new InvalidConfigError(`${field}: expected the name of a backend, got nothing`);
  }
  const spec = await readSpec(field, settings.backend, dirname(path), options);
  return {
    spec,
    settings,
    inspect: await readInspect(settings, path, at, options),
    context,
    configPath: path,
  };
}

async function readInspect(
  { inspect }: BackendConfig,
  path: string,
  at: readonly string[],
  options: FindConfigOptions,
): Promise<BackendSpec | undefined> {
  if (inspect === undefined) return undefined;
  return readSpec(place(path, [...at, 'inspect']), inspect, dirname(path), options);
}
