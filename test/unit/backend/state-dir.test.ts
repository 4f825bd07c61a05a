import { describe, expect, it } from 'vitest';
import { embeddedDatabasePath } from '../../../src/backend/state-dir.js';

describe('the file of the embedded backend', () => {
  it.each([
    ['in the state home that the user chose', 'linux', { XDG_STATE_HOME: '/state' }, '/home/u', '/state'],
    ['in the home directory elsewhere', 'linux', {}, '/home/u', '/home/u/.local/state'],
    ['where the system keeps such files', 'darwin', {}, '/Users/u', '/Users/u/Library/Application Support'],
    [
      'in the state home before the system’s place',
      'darwin',
      { XDG_STATE_HOME: '/state' },
      '/Users/u',
      '/state',
    ],
    [
      'as if it were unset where the state home is empty',
      'linux',
      { XDG_STATE_HOME: '' },
      '/home/u',
      '/home/u/.local/state',
    ],
    [
      'in the state home of a user without a home',
      'linux',
      { XDG_STATE_HOME: '/state' },
      undefined,
      '/state',
    ],
  ] as const)('is %s', (_, platform, env, home, stateHome) => {
    expect(embeddedDatabasePath({ env, platform, home })).toBe(`${stateHome}/mastra-lease/leases.db`);
  });

  it('is nowhere for a user without a home, and the message says what to do', () => {
    const find = () => embeddedDatabasePath({ env: {}, platform: 'linux', home: undefined });
    expect(find).toThrow('this user has no home directory');
    expect(find).toThrow(
      expect.objectContaining({
        code: 'ERR_LEASE_INVALID_CONFIG',
        remedy: expect.stringContaining('XDG_STATE_HOME'),
      }),
    );
  });
});
