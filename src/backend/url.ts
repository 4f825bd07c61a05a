import { InvalidConfigError } from '../lease/errors.js';

/** A backend as its name says it; nothing is opened yet. */
export type BackendSpec =
  | { readonly kind: 'redis'; readonly url: string }
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'local' }
  | { readonly kind: 'memory' };

const FORMS =
  'redis://, rediss://, valkey://, redis+cluster://, redis+sentinel://, redis+unix://, sqlite:PATH, local or memory:';

/**
 * Reads the name of a backend. The name is never quoted back: it may hold a password.
 *
 * @throws `ERR_LEASE_INVALID_CONFIG`
 */
export function parseBackend(text: string): BackendSpec {
  if (text === 'local') return { kind: 'local' };
  if (text === 'memory:') return { kind: 'memory' };
  if (text.startsWith('sqlite:')) {
    const path = text.slice('sqlite:'.length);
    if (path === '')
      throw new InvalidConfigError('Expected a path after sqlite:, as in sqlite:/var/lib/leases.db');
    return { kind: 'sqlite', path };
  }
  if (/^(redis|valkey)s?(\+(cluster|sentinel|unix))?:\/\//i.test(text)) return { kind: 'redis', url: text };
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1];
  const got =
    scheme === undefined ? (text === '' ? 'nothing' : 'a name without a scheme') : `the scheme ${scheme}:`;
  throw new InvalidConfigError(`Expected a backend as ${FORMS}, got ${got}`);
}
