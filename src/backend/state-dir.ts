import { join } from 'node:path';
import { InvalidConfigError } from '../lease/errors.js';

/** What decides where a user's state lives. */
export interface UserPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The home directory, or `undefined` where the user has none (a pod with a random uid). */
  readonly home: string | undefined;
}

/**
 * The file of the embedded default backend: in the user's state directory, shared by all processes of the host.
 *
 * @throws `ERR_LEASE_INVALID_CONFIG` where the user has no such directory.
 */
export function embeddedDatabasePath({ env, platform, home }: UserPlaces): string {
  const stateHome =
    env.XDG_STATE_HOME ||
    (platform === 'win32' && env.LOCALAPPDATA) ||
    (home &&
      (platform === 'darwin' ? join(home, 'Library', 'Application Support') : join(home, '.local', 'state')));
  if (!stateHome) {
    throw new InvalidConfigError('The embedded backend has no place to be: this user has no home directory', {
      remedy: 'name a backend by --backend, or a directory by XDG_STATE_HOME',
    });
  }
  return join(stateHome, 'mastra-lease', 'leases.db');
}
