import { type Clause, passed } from '../clause.js';
import { throughEveryVerb } from '../every-verb.js';
import { SOURCES } from '../sources.js';
import { TEXTS } from '../texts.js';
import { together } from '../together.js';

export const ownersOfEveryKind: Clause = {
  id: 'owners-of-every-kind',
  level: 'contract',
  sentence: 'An owner may be any text: it is given back as it was, and recognised by every verb.',
  source: SOURCES.keys,
  async run(trial) {
    const ways = Object.entries(TEXTS).map(([name, text]) =>
      throughEveryVerb(trial, `an owner with ${name}`, trial.key(), [text, `next ${text}`]),
    );
    await together(ways);
    return passed(`${ways.length} kinds`);
  },
};
