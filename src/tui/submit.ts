import { exportText } from './export-text.js';
import type { LeaseRow } from './lease-row.js';
import { confirmationOf, type PlannedWrite, type Prompt, readOwner, unnameable } from './prompt.js';
import { closed, prompted } from './prompting.js';
import { leaseInFocus, noticed, only, type Step, type TuiState } from './state.js';

/** What is done with what was typed. */
export function submitted(state: TuiState, prompt: Prompt): Step {
  switch (prompt.kind) {
    case 'filter':
      return only(closed(state));
    case 'export': {
      if (prompt.text === '')
        return only(prompted(state, { ...prompt, problem: 'expected a file name, got nothing' }));
      const text = exportText(state);
      return { state: closed(state), effects: [{ type: 'export', path: prompt.text, text }] };
    }
    case 'new-owner': {
      const { lease } = prompt;
      const read = readOwner(prompt.text, lease);
      if ('problem' in read) return only(prompted(state, { ...prompt, problem: read.problem }));
      const write: PlannedWrite = { verb: 'transfer', lease, to: read.owner };
      return only(prompted(state, { kind: 'confirm', write, text: '' }));
    }
    case 'confirm': {
      const { write, text } = prompt;
      const expected = confirmationOf(write, state.source.scope);
      if (text !== expected) {
        const problem = `expected ${expected} to be typed: nothing was sent`;
        return only(prompted(state, { ...prompt, problem }));
      }
      const sent = noticed(closed(state), `${write.verb} was sent`);
      return {
        state: { ...sent, pendingWrites: state.pendingWrites + 1 },
        effects: [{ type: 'write', write }],
      };
    }
  }
}

/** Asks for what a write needs, where there may be one. */
export function planned(state: TuiState, prompt: (lease: LeaseRow) => Prompt): Step {
  if (state.refusal !== undefined) return only(noticed(state, state.refusal, 'warn'));
  const lease = leaseInFocus(state);
  if (!lease) return only(noticed(state, 'nobody holds it any more', 'warn'));
  const problem = unnameable(lease);
  return only(problem === undefined ? prompted(state, prompt(lease)) : noticed(state, problem, 'warn'));
}
