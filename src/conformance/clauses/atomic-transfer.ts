import { type Clause, notShown, passed, reported, Violation } from '../clause.js';
import { raceTransfers } from '../race-transfers.js';
import { SOURCES } from '../sources.js';

export const atomicTransfer: Clause = {
  id: 'atomic-transfer',
  level: 'concurrency',
  sentence: 'A transfer never leaves the key free in between, or is declared not to be atomic.',
  source: SOURCES.transfer,
  isBusy: true,
  async run(trial) {
    const { setting } = trial;
    const declared = setting.traits.atomicTransfer;
    const isRequired = setting.requirements.has('atomic-transfer');
    const race = await raceTransfers(trial);
    setting.atomicTransfer = race.verdict;
    const { verdict, transfers, attempts } = race;
    const tried = `${transfers} transfers, ${attempts} calls of others meanwhile`;
    const says = `${verdict} (declared: ${declared === undefined ? 'unstated' : declared ? 'yes' : 'no'})`;
    switch (race.verdict) {
      case 'atomic':
        return passed(`${says}: ${tried}`);
      case 'not shown': {
        const note = `${says}: ${tried} are too few`;
        if (isRequired) throw new Violation('transfers shown to be atomic', { calls: [], note });
        return notShown(note);
      }
      case 'not atomic': {
        const shown = { calls: race.calls, note: `${says}: ${race.how}` };
        if (declared === true) {
          throw new Violation('no gap, since leaseTraits declares atomicTransfer: true', shown);
        }
        const expected = isRequired
          ? 'no gap, since that is required'
          : declared === false
            ? 'a gap, as leaseTraits declares: whoever comes into it gets the key'
            : 'no gap, or leaseTraits to declare atomicTransfer: false';
        return reported(trial, 'atomic-transfer', { ...shown, expected });
      }
    }
  },
};
