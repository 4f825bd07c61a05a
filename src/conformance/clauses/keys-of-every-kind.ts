import { type Clause, passed } from '../clause.js';
import { throughEveryVerb } from '../every-verb.js';
import { SOURCES } from '../sources.js';
import { TEXTS } from '../texts.js';
import { together } from '../together.js';

export const keysOfEveryKind: Clause = {
  id: 'keys-of-every-kind',
  level: 'contract',
  sentence: 'A key may be any text: every verb finds the lease again.',
  source: SOURCES.keys,
  async run(trial) {
    const ways = Object.entries(TEXTS).map(([name, text]) =>
      throughEveryVerb(trial, `a key with ${name}`, trial.key(`:${text}`), ['a', 'b']),
    );
    await together(ways);
    return passed(`${ways.length} kinds`);
  },
};
