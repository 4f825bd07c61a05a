import { dirname } from 'node:path';
import { isLeaseError } from '../../lease/errors.js';
import { parseBackend } from '../url.js';
import type { FoundConfig } from './find-config.js';
import { defaultOf, selectContext, topOf } from './select-context.js';

/** A context as it is listed. Holds no secret. */
export interface ListedContext {
  /** Its name; `undefined` for the backend at the top of a config. */
  readonly name: string | undefined;
  /** The backend's name without user info, or why it cannot be read. */
  readonly backend: { readonly name: string } | { readonly problem: string };
  readonly isReadOnly: boolean;
  /** Whether it is taken where nothing is named. */
  readonly isDefault: boolean;
  /** Whether another config, looked at before, has a context of this name: `--context` takes that one. */
  readonly isShadowed: boolean;
  readonly origin: FoundConfig['origin'];
  /** The config's file. */
  readonly path: string;
}

/** Every context of the configs, in their order, and the backends at the top of them. */
export async function listContexts(configs: readonly FoundConfig[]): Promise<readonly ListedContext[]> {
  const chosen = defaultOf(configs);
  const seen = new Set<string>();
  const listed: ListedContext[] = [];
  for (const found of configs) {
    const names = Object.keys(found.config.contexts ?? {});
    for (const name of [...(found.config.backend === undefined ? [] : [undefined]), ...names]) {
      const selected = name === undefined ? topOf(found) : selectContext([found], name);
      const { path, origin, backend, readOnly = false } = selected;
      listed.push({
        name,
        backend: await describeBackend(backend, dirname(path)),
        isReadOnly: readOnly,
        isDefault: chosen?.path === path && chosen.context === name,
        isShadowed: name !== undefined && seen.has(name),
        origin,
        path,
      });
    }
    for (const name of names) seen.add(name);
  }
  return listed;
}

async function describeBackend(backend: string | undefined, base: string): Promise<ListedContext['backend']> {
  if (backend === undefined) return { problem: 'it names no backend' };
  try {
    const name = parseBackend(backend, base);
    switch (name.kind) {
      case 'redis': {
        const { parseRedisUrl } = await import('../../providers/redis/target.js');
        return { name: parseRedisUrl(name.url).name };
      }
      case 'sqlite':
        return { name: `sqlite:${name.path}` };
      case 'memory':
        return { name: 'memory:' };
      case 'local':
        return { name: 'local' };
      case 'module':
        return { name: name.exportName === undefined ? name.path : `${name.path}#${name.exportName}` };
      case 'mastra-folder':
        return { name: `mastra:${name.folder}` };
    }
  } catch (error) {
    if (!isLeaseError(error)) throw error;
    return { problem: error.message };
  }
}
