import { describe, expect, it } from 'vitest';
import { nearestName, suggestion } from '../../../../src/backend/config/nearest-name.js';

const FIELDS = ['backend', 'inspect', 'keyPrefix', 'timeout', 'readOnly', 'contexts', 'defaultContext'];

describe('a mistyped name', () => {
  it.each([
    ['backnd', 'backend'],
    ['Backend', 'backend'],
    ['bakcend', 'backend'],
    ['key_prefix', 'keyPrefix'],
    ['key-prefix', 'keyPrefix'],
    ['readonly', 'readOnly'],
    ['timeoutMs', 'timeout'],
    ['context', 'contexts'],
    ['default', 'defaultContext'],
  ])('%s is taken for %s', (written, meant) => {
    expect(nearestName(written, FIELDS)).toBe(meant);
  });

  it.each(['ttl', 'x', '', 'passphrase'])('%j is taken for none', (written) => {
    expect(nearestName(written, FIELDS)).toBeUndefined();
  });

  it('that is near to none is answered by all that there are', () => {
    expect(suggestion('nothing-like-it', ['prod', 'staging'])).toBe('there are prod, staging');
    expect(suggestion('prod', [])).toBe('there are none');
  });

  it('is answered in its written form, whatever the name holds', () => {
    expect(suggestion('prod', ['prod\u001b'])).toBe('did you mean prod\\x1b?');
  });
});
