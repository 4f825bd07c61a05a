import { isObject } from '../call.js';
import { type Clause, passed, Violation } from '../clause.js';
import { SOURCES } from '../sources.js';

const SCOPES: readonly unknown[] = [undefined, 'process', 'host', 'network'];
const ANSWERS: readonly unknown[] = [undefined, true, false];

export const traits: Clause = {
  id: 'traits',
  level: 'structural',
  sentence: 'What it declares in leaseTraits can be read: atomicTransfer true or false, scope one of three.',
  source: SOURCES.traits,
  async run({ setting }) {
    const declared: unknown = isObject(setting.candidate) ? setting.candidate.leaseTraits : undefined;
    if (declared === undefined) return passed('declares nothing');
    if (!isObject(declared)) throw new Violation('leaseTraits as an object');
    if (!ANSWERS.includes(declared.atomicTransfer)) throw new Violation('atomicTransfer as true or false');
    if (!SCOPES.includes(declared.scope)) throw new Violation('scope as process, host or network');
    const { atomicTransfer = 'unstated', scope = 'unstated' } = setting.traits;
    return passed(`atomicTransfer ${atomicTransfer}, scope ${scope}`);
  },
};
