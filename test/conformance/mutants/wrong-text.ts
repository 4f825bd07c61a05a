import type { AcquireResult } from '../../../src/lease/provider.js';
import { CorrectLeases } from './correct-leases.js';
import { type Mutant, mutant } from './mutant.js';

type TextChange = (text: string) => string;

/** Changes keys or owners on their way to the server. */
function changing({ key = same, owner = same }: { readonly key?: TextChange; readonly owner?: TextChange }) {
  return class extends CorrectLeases {
    override acquireLease(name: string, holder: string, ttlMs: number): Promise<AcquireResult> {
      return super.acquireLease(key(name), owner(holder), ttlMs);
    }
    override getLeaseOwner(name: string): Promise<string | undefined> {
      return super.getLeaseOwner(key(name));
    }
    override releaseLease(name: string, holder: string): Promise<void> {
      return super.releaseLease(key(name), owner(holder));
    }
    override renewLease(name: string, holder: string, ttlMs: number): Promise<boolean> {
      return super.transferLease(key(name), owner(holder), owner(holder), ttlMs);
    }
    override transferLease(name: string, from: string, to: string, ttlMs: number): Promise<boolean> {
      return super.transferLease(key(name), owner(from), owner(to), ttlMs);
    }
  };
}

const same: TextChange = (text) => text;
const trimmed: TextChange = (text) => text.trim();
const lowerCased: TextChange = (text) => text.toLowerCase();
const cutAtNul: TextChange = (text) => text.split('\0')[0] ?? '';
const cutAt255: TextChange = (text) => text.slice(0, 255);
const composed: TextChange = (text) => text.normalize('NFC');

/** Takes a key for a pattern where it deletes. */
class GlobbedKeys extends CorrectLeases {
  override async releaseLease(key: string, owner: string): Promise<void> {
    await this.command(() => {
      if (this.server.find(key)?.owner !== owner) return;
      const pattern = new RegExp(`^${toPattern(key)}$`, 's');
      for (const each of this.server.keys) if (pattern.test(each)) this.server.delete(each);
      this.server.delete(key);
    });
  }
}

function toPattern(glob: string): string {
  return glob
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
}

class ReleasesAnEncodedKey extends CorrectLeases {
  override releaseLease(key: string, owner: string): Promise<void> {
    return super.releaseLease(encodeURI(key), owner);
  }
}

/** Gives an owner back as it was, and takes another for it. */
class ComparesWithoutCase extends CorrectLeases {
  override acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    return super.acquireLease(key, this.#heldAs(key, owner), ttlMs);
  }

  override releaseLease(key: string, owner: string): Promise<void> {
    return super.releaseLease(key, this.#heldAs(key, owner));
  }

  override transferLease(key: string, from: string, to: string, ttlMs: number): Promise<boolean> {
    return super.transferLease(key, this.#heldAs(key, from), to, ttlMs);
  }

  #heldAs(key: string, owner: string): string {
    const holder = this.server.find(key)?.owner;
    return holder?.toLowerCase() === owner.toLowerCase() ? holder : owner;
  }
}

export const WRONG_TEXTS: readonly Mutant[] = [
  mutant('keys: trimmed', 'distinct-keys', changing({ key: trimmed })),
  mutant('keys: lower-cased', 'distinct-keys', changing({ key: lowerCased })),
  mutant('keys: cut at NUL', 'distinct-keys', changing({ key: cutAtNul })),
  mutant('keys: cut after 255 characters', 'distinct-keys', changing({ key: cutAt255 })),
  mutant('keys: normalised', 'distinct-keys', changing({ key: composed })),
  mutant('keys: globbed', 'distinct-keys', GlobbedKeys),
  mutant('keys: encoded by release alone', 'keys-of-every-kind', ReleasesAnEncodedKey),
  mutant('owners: trimmed', 'distinct-owners', changing({ owner: trimmed })),
  mutant('owners: lower-cased', 'distinct-owners', changing({ owner: lowerCased })),
  mutant('owners: compared without regard to case', 'distinct-owners', ComparesWithoutCase),
  mutant('owners: cut at NUL', 'owners-of-every-kind', changing({ owner: cutAtNul })),
];
