import { existsSync } from 'node:fs';
import { InvalidConfigError } from '../lease/errors.js';
import { escapeText } from '../lease/text.js';
import type { BackendConfig } from './config/define-config.js';
import type { ConfiguredBackend, UndecidedConfigs } from './locate-config.js';
import { readSpec } from './locate-spec.js';
import { type Step, StepLog, type StepName } from './locate-steps.js';
import type { LoadModule } from './module/load-module.js';
import type { MastraEntry } from './module/mastra-project.js';
import { embeddedDatabasePath, type UserPlaces } from './state-dir.js';
import type { BackendSpec } from './url.js';

/** Whether a command only reads; a read never creates the embedded backend. */
export type Access = 'read' | 'write';

/** A backend that was found, and how. */
export interface LocatedBackend {
  readonly spec: BackendSpec;
  /** The step that found it. */
  readonly foundBy: StepName;
  /** Whether nobody named it, neither here nor in a config: it is then announced. */
  readonly isImplied: boolean;
  /** Whether a flag or a variable of ours names it, or its context. */
  readonly isNamed: boolean;
  /** Every step of the order. */
  readonly steps: readonly Step[];
  /** What the config says about it. Where the config names no backend: what it says about any. */
  readonly settings: BackendConfig;
  /** What `inspect` of the settings names. */
  readonly inspect?: BackendSpec | undefined;
  /** The context that was chosen. */
  readonly context?: string | undefined;
  /** The config that the settings are from. */
  readonly configPath?: string | undefined;
}

/** What the search for a backend depends on. */
export interface LocateOptions extends UserPlaces {
  /** The value of `--backend`. */
  readonly backend?: string | undefined;
  /** The value of `--context`. */
  readonly context?: string | undefined;
  /** The value of `--config`. */
  readonly configPath?: string | undefined;
  readonly access: Access;
  readonly cwd: string;
  /** Runs a config that is a module. */
  readonly loadModule: LoadModule;
  /** Finds the Mastra project of a folder, from there up to its package root. */
  readonly findMastraEntry: (folder: string) => MastraEntry | undefined | Promise<MastraEntry | undefined>;
  /** Told of each step as it is decided; also of those before a failure. */
  readonly onStep?: (step: Step) => void;
}

/**
 * Finds the backend: a flag, a variable, a config's default, the Mastra project, a variable of Redis, the embedded
 * default. The first match wins. Where a flag or a variable names a backend, no config is read and nothing is run.
 *
 * @throws `ERR_LEASE_INVALID_CONFIG` when there is none, when what is named is not there, or when two names contradict.
 */
export async function locateBackend(options: LocateOptions): Promise<LocatedBackend> {
  const { env } = options;
  const log = new StepLog(options.onStep);
  const flags = { backend: options.backend, context: options.context };
  const variables = {
    backend: env.MASTRA_LEASE_BACKEND,
    context: env.MASTRA_LEASE_CONTEXT,
  };
  const byFlag = await findNamed(['--backend', '--context'], flags, options, log);
  if (byFlag) return byFlag;
  assertNotEmpty(env, ['MASTRA_LEASE_BACKEND', 'MASTRA_LEASE_CONTEXT']);
  const byVariable = await findNamed(
    ['MASTRA_LEASE_BACKEND', 'MASTRA_LEASE_CONTEXT'],
    variables,
    options,
    log,
  );
  return byVariable ?? findUnnamed(options, log);
}

type Names = readonly ['--backend', '--context'] | readonly ['MASTRA_LEASE_BACKEND', 'MASTRA_LEASE_CONTEXT'];

/** Finds a backend or a context by its name; both at once are refused, since each decides alone. */
async function findNamed(
  [byBackend, byContext]: Names,
  { backend, context }: { readonly backend: string | undefined; readonly context: string | undefined },
  options: LocateOptions,
  log: StepLog,
): Promise<LocatedBackend | undefined> {
  const named = { isImplied: false, isNamed: true };
  if (backend !== undefined) {
    const rival =
      context !== undefined ? byContext : options.configPath !== undefined ? '--config' : undefined;
    if (rival !== undefined) {
      throw new InvalidConfigError(`Expected ${byBackend} or ${rival}, got both: each names a backend`);
    }
    const spec = await readSpec(byBackend, backend, options.cwd, options);
    return { ...named, spec, settings: {}, foundBy: byBackend, steps: log.take(byBackend, 'given') };
  }
  log.pass(byBackend, 'not given');
  if (context !== undefined) {
    const { findContext } = await import('./locate-config.js');
    const found = await findContext(byContext, context, options);
    const why = `${escapeText(context)} of ${escapeText(found.configPath)}`;
    return { ...named, ...found, foundBy: byContext, steps: log.take(byContext, why) };
  }
  log.pass(byContext, 'not given');
  return undefined;
}

async function findUnnamed(options: LocateOptions, log: StepLog): Promise<LocatedBackend> {
  const found = await findConfigured(options);
  if (!('undecided' in found)) {
    const { context, configPath } = found;
    const chosen = context === undefined ? 'backend' : `defaultContext ${escapeText(context)}`;
    const steps = log.take('config', `${chosen} of ${escapeText(configPath)}`);
    return { ...found, isImplied: false, isNamed: false, foundBy: 'config', steps };
  }
  log.pass('config', found.why);

  const project = await options.findMastraEntry(options.cwd);
  if (project) {
    const steps = log.take('mastra project', escapeText(project.entry));
    return implied({ kind: 'mastra', ...project }, 'mastra project', steps, found, options);
  }
  log.pass('mastra project', `no src/mastra/index.* from ${escapeText(options.cwd)} up to the package root`);

  assertNotEmpty(options.env, ['REDIS_URL', 'VALKEY_URL']);
  for (const name of ['REDIS_URL', 'VALKEY_URL'] as const) {
    const url = options.env[name];
    if (url) {
      const spec = await readSpec(name, url, options.cwd, options);
      // Anybody's variable: only what everybody means by it, and never a module to run.
      if (spec.kind !== 'redis') throw new InvalidConfigError(`${name}: expected the URL of a Redis server`);
      return implied(spec, name, log.take(name, 'set'), found, options);
    }
    log.pass(name, 'not set');
  }

  const path = await embeddedDefault(options, log, found);
  return implied({ kind: 'sqlite', path }, 'default', log.take('default', escapeText(path)), found, options);
}

async function findConfigured(options: LocateOptions): Promise<ConfiguredBackend | UndecidedConfigs> {
  const { describeSearch, mayHaveConfig } = await import('./config/search-places.js');
  if (options.configPath === undefined && !mayHaveConfig(options.cwd, options)) {
    return { undecided: [], why: `none in ${describeSearch(options.cwd, options)}` };
  }
  const { findDefault } = await import('./locate-config.js');
  return findDefault(options);
}

/** A backend that nobody named, with what the nearest config says about any. */
async function implied(
  spec: BackendSpec,
  foundBy: StepName,
  steps: readonly Step[],
  { undecided: [nearest] }: UndecidedConfigs,
  options: LocateOptions,
): Promise<LocatedBackend> {
  const found = { spec, foundBy, steps, isImplied: true, isNamed: false };
  if (!nearest) return { ...found, settings: {} };
  const { settingsFor } = await import('./locate-config.js');
  return { ...found, ...(await settingsFor(nearest, spec.kind, options)) };
}

const NAME_ONE = 'name one by --backend, MASTRA_LEASE_BACKEND or REDIS_URL';

/** A variable that is set to nothing is a value that was lost, not a wish for another backend. */
function assertNotEmpty(env: LocateOptions['env'], names: readonly string[]): void {
  const empty = names.find((name) => env[name] === '');
  if (empty === undefined) return;
  throw new InvalidConfigError(`${empty} is set, and empty`, { remedy: 'give it its value, or unset it' });
}

/** The embedded default is never implied where `CI` is set, and a read never creates it: neither would mean anything. */
async function embeddedDefault(
  options: LocateOptions,
  log: StepLog,
  { undecided }: UndecidedConfigs,
): Promise<string> {
  const choice =
    undecided.length === 0 ? undefined : (await import('./locate-config.js')).chooseContext(undecided);
  const refuse = (why: string, remedy: string): never => {
    log.pass('default', why);
    throw new InvalidConfigError(`No backend found: ${why}`, { remedy: choice ?? remedy });
  };
  if (choice !== undefined) return refuse('a config names contexts, and none of them was chosen', choice);
  if (options.env.CI) {
    return refuse(
      'CI is set, where the embedded default is never implied',
      `${NAME_ONE}, or the embedded one by --backend local`,
    );
  }
  const path = embeddedDatabasePath(options);
  if (options.access === 'read' && !existsSync(path)) {
    return refuse(
      'no variable, config or Mastra project names one, and nothing was ever leased on this host',
      `${NAME_ONE}; a first acquire makes the embedded one`,
    );
  }
  return path;
}
