import { HEALTHS } from '../../lease/health.js';
import type { Lease } from '../../lease/inspector.js';
import { KEY_KINDS, parseKey } from '../../lease/key.js';
import { escapeText } from '../../lease/text.js';
import { formatRemaining } from '../../output/durations.js';
import { describeKey } from '../../output/key-words.js';
import { SORT_ORDERS } from '../../output/list-text.js';
import type { CommandName } from '../command-table.js';
import { BACKEND_FORMS } from '../help/backend-topic.js';

/** A word that may be meant, and what it is. */
export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** Where the values of an option or of an argument come from. */
export type ValueSource =
  | { readonly from: 'words'; readonly candidates: readonly Candidate[] }
  | { readonly from: 'leases'; readonly read: (lease: Lease) => Candidate | undefined }
  | { readonly from: 'contexts' }
  | { readonly from: 'files' };

const words = (...values: readonly string[]): ValueSource => ({
  from: 'words',
  candidates: values.map((value) => ({ value, description: '' })),
});

const FILES: ValueSource = { from: 'files' };

const OWNERS: ValueSource = {
  from: 'leases',
  read: ({ key, owner }) => ({ value: escapeText(owner), description: `holds ${describeKey(key)}` }),
};

const OPTION_VALUES: Readonly<Record<string, ValueSource>> = {
  '--backend': {
    from: 'words',
    candidates: BACKEND_FORMS.map(([form, description]) => ({
      value: form.replace(/[A-Z.].*$/, ''),
      description,
    })),
  },
  '--context': { from: 'contexts' },
  '--kind': words(...KEY_KINDS),
  '--health': words(...HEALTHS),
  '--sort': words(...SORT_ORDERS),
  '--by': words('process'),
  '--until': words('free', 'held', 'changed', 'owner='),
  '--owner': OWNERS,
  '--from': OWNERS,
  '--thread': {
    from: 'leases',
    read: ({ key, owner }) => {
      const parts = parseKey(key);
      if (parts.kind !== 'thread') return undefined;
      const resource = escapeText(parts.resource);
      return {
        value: escapeText(parts.thread),
        description: `resource ${resource}, held by ${escapeText(owner)}`,
      };
    },
  },
  '--resource': {
    from: 'leases',
    read: ({ key }) => {
      const parts = parseKey(key);
      return parts.kind === 'thread'
        ? { value: escapeText(parts.resource), description: 'resource' }
        : undefined;
    },
  },
  '--config': FILES,
  '--env-file': FILES,
  '--password-file': FILES,
  '--tls-ca': FILES,
  '--audit-file': FILES,
  '--record': FILES,
  '--replay': FILES,
  '--junit': FILES,
};

/** The values of an option, by its long flag; `undefined` where anything may be meant. */
export function valuesOfOption(flag: string): ValueSource | undefined {
  return Object.hasOwn(OPTION_VALUES, flag) ? OPTION_VALUES[flag] : undefined;
}

const TAKES_KEYS: readonly CommandName[] = [
  'owner',
  'inspect',
  'list',
  'watch',
  'acquire',
  'renew',
  'transfer',
  'release',
  'wait',
  'exec',
];
const THREAD_FORM = 'thread:';

/** The values of a command's first argument. `typed` is its beginning: only who asks for it gets the short form of threads. */
export function valuesOfArgument(name: CommandName, typed: string): ValueSource | undefined {
  if (!TAKES_KEYS.includes(name)) return undefined;
  const isShort = typed.startsWith(THREAD_FORM);
  return {
    from: 'leases',
    read: ({ key, owner, remainingMs }) => {
      const parts = parseKey(key);
      const held = `held by ${escapeText(owner)}, ${formatRemaining(remainingMs)}`;
      if (!isShort) return { value: escapeText(key), description: held };
      const thread = parts.kind === 'thread' ? parts.thread : undefined;
      return thread === undefined
        ? undefined
        : { value: `${THREAD_FORM}${escapeText(thread)}`, description: held };
    },
  };
}
