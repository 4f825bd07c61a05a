import { dirname, resolve } from 'node:path';
import { InvalidConfigError } from '../../lease/errors.js';
import { escapeText } from '../../lease/text.js';
import type { BackendConfig, LeaseConfig } from './define-config.js';
import type { FoundConfig } from './find-config.js';
import { suggestion } from './nearest-name.js';

/** A backend's settings as a config has them: a context's own over those at the top of its file. */
export interface SelectedConfig extends BackendConfig {
  readonly context?: string | undefined;
  /** The config's file. */
  readonly path: string;
  readonly origin: FoundConfig['origin'];
}

/**
 * Chooses a context by its name; the project's comes before the user's own of the same name.
 *
 * @throws `ERR_LEASE_INVALID_CONFIG` where no config has it.
 */
export function selectContext(configs: readonly FoundConfig[], name: string): SelectedConfig {
  for (const found of configs) {
    const context = contextOf(found.config, name);
    if (context) return { ...merge(found, context), context: name, path: found.path, origin: found.origin };
  }
  const known = [...new Set(configs.flatMap(({ config }) => Object.keys(config.contexts ?? {})))];
  const files = configs.map(({ path }) => escapeText(path)).join(' and ');
  throw new InvalidConfigError(`No context ${escapeText(name)} in ${files}: ${suggestion(name, known)}`);
}

/** What is taken where nothing is named: the first config's `defaultContext`, or else the backend at its top. */
export function defaultOf(configs: readonly FoundConfig[]): SelectedConfig | undefined {
  for (const found of configs) {
    const { defaultContext, backend } = found.config;
    if (defaultContext !== undefined) return selectContext([found], defaultContext);
    if (backend !== undefined) return topOf(found);
  }
  return undefined;
}

/** The settings at the top of a config, without a context. */
export function topOf(found: FoundConfig): SelectedConfig {
  return { ...merge(found, {}), path: found.path, origin: found.origin };
}

function contextOf({ contexts = {} }: LeaseConfig, name: string): BackendConfig | undefined {
  return Object.hasOwn(contexts, name) ? contexts[name] : undefined;
}

function merge({ config, path }: FoundConfig, context: BackendConfig): BackendConfig {
  const { contexts: _contexts, defaultContext: _default, ...top } = config;
  const merged = { ...sharedWith(top, context), ...withoutUndefined(context) };
  const { tls, auditFile } = merged;
  const found = (file: string) => resolve(dirname(path), file);
  return {
    ...merged,
    ...(auditFile !== undefined && { auditFile: found(auditFile) }),
    ...(tls?.ca !== undefined && { tls: { ...tls, ca: found(tls.ca) } }),
  };
}

/**
 * The settings at the top that hold for a context. What opens a backend stays with the backend that it was written
 * beside: a password at the top must not go to another server, nor take the place of one in a context's own URL.
 */
function sharedWith(top: BackendConfig, context: BackendConfig): BackendConfig {
  const { username: _username, password: _password, ...open } = top;
  if (context.backend === undefined) return top;
  if (top.backend !== undefined) {
    const { tls: _tls, inspect: _inspect, ...rest } = open;
    return rest;
  }
  return /^[^/]*:\/\/[^/?#]*@/.test(context.backend) ? open : top;
}

function withoutUndefined(context: BackendConfig): BackendConfig {
  return Object.fromEntries(Object.entries(context).filter(([, value]) => value !== undefined));
}
