import { missingLeaseMethods } from '../../lease/detect.js';
import { type Clause, passed, Violation } from '../clause.js';
import { SOURCES } from '../sources.js';

export const methods: Clause = {
  id: 'methods',
  level: 'structural',
  sentence: 'The provider has all five methods of the contract.',
  source: SOURCES.provider,
  async run({ setting }) {
    const missing = missingLeaseMethods(setting.candidate);
    if (missing.length > 0) throw new Violation(`the methods ${missing.join(', ')}`);
    return passed();
  },
};
