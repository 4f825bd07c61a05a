import { type Clause, type Finding, notShown, passed, Violation } from '../clause.js';
import { raceTransfers } from '../race-transfers.js';
import { SOURCES } from '../sources.js';

export const atomicTransfer: Clause = {
  id: 'atomic-transfer',
  level: 'concurrency',
  sentence: 'A transfer never leaves the key free in between, or is declared not to be atomic.',
  source: SOURCES.transfer,
  isAlone: true,
  async run(trial): Promise<Finding> {
    const { setting } = trial;
    const declared = setting.traits.atomicTransfer;
    const isRequired = setting.requirements.has('atomic-transfer');
    const says = `declared: ${declared === undefined ? 'unstated' : declared ? 'yes' : 'no'}`;
    const race = await raceTransfers(trial);
    const tried = `${race.transfers} transfers, ${race.attempts} calls of others meanwhile`;
    setting.atomicTransfer = race.verdict;
    switch (race.verdict) {
      case 'atomic':
        return { ...passed(`atomic (${says}): ${tried}`), atomicTransfer: race.verdict };
      case 'not shown': {
        const note = `not shown (${says}): ${tried} are too few`;
        if (!isRequired) return { ...notShown(note), atomicTransfer: race.verdict };
        throw new Violation('transfers shown to be atomic', {
          calls: [],
          note,
          atomicTransfer: race.verdict,
        });
      }
      case 'not atomic': {
        const note = `not atomic (${says}): ${race.how}`;
        const shown = { calls: race.calls, note, atomicTransfer: race.verdict } as const;
        if (declared === true)
          throw new Violation('no gap, since leaseTraits declares atomicTransfer: true', shown);
        if (isRequired) throw new Violation('transfers to be atomic, since that is required', shown);
        const expected =
          declared === false
            ? 'a gap, as leaseTraits declares: whoever comes into it gets the key'
            : 'no gap, or leaseTraits to declare atomicTransfer: false';
        return { result: 'reported', note, expected, calls: race.calls, atomicTransfer: race.verdict };
      }
    }
  },
};
