import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { KeyOutcome, KeyVerb, OutcomeStatus } from '../../../src/operations/outcome.js';
import { outcomeJson } from '../../../src/output/json.js';
import { pipedRow, pipedText, terminalText } from '../../../src/output/outcome-text.js';
import { makeTheme } from '../../../src/output/theme.js';

const PLAIN = makeTheme({ isTerminal: true, env: {}, isRefused: true });
const COLOURED = makeTheme({ isTerminal: true, env: {}, isRefused: false });

/** Every answer that a verb can give. */
const ANSWERS: Readonly<Record<KeyVerb, readonly OutcomeStatus[]>> = {
  owner: ['held', 'free'],
  acquire: ['acquired', 'refreshed', 'held-by-other'],
  release: ['released', 'held-by-other', 'no-lease', 'skipped'],
  renew: ['renewed', 'held-by-other', 'no-lease'],
  transfer: ['transferred', 'acquired', 'refreshed', 'held-by-other', 'no-lease'],
};

function outcome(verb: KeyVerb, status: OutcomeStatus, { key = 'deploy', owner = 'run-1' } = {}): KeyOutcome {
  const isHeld = !['free', 'released', 'no-lease', 'skipped'].includes(status);
  return {
    verb,
    status,
    key,
    ...(isHeld && { lease: { key, owner, remainingMs: 12_400 } }),
    ...(['released', 'transferred'].includes(status) && { previousOwner: owner }),
    notes: [],
    atMs: Date.UTC(2026, 10, 29, 2, 14, 11),
    source: {
      backend: 'redis://h:6379/0',
      foundBy: '--backend',
      scope: 'network',
      keyPrefix: 'mastra:topic',
    },
  };
}

const VERBS = ['owner', 'acquire', 'release', 'renew', 'transfer'] as const satisfies readonly KeyVerb[];
const ALL = VERBS.flatMap((verb) => ANSWERS[verb].map((status) => [verb, status] as const));

describe('an answer', () => {
  it.each(ALL)('of %s that is %s is never silence, and names the key', (verb, status) => {
    const answer = outcome(verb, status);
    expect(terminalText(answer, PLAIN).answer).toMatch(/^\S.{9}.*deploy/);
    const { answer: piped, talk } = pipedText(answer);
    expect([piped, ...talk].join('')).not.toBe('');
    if (status !== 'held') expect(talk[0]).toContain('deploy');
  });

  it.each(ALL)('of %s that is %s says its state in a word, with colour and without', (verb, status) => {
    const coloured = terminalText(outcome(verb, status), COLOURED).answer;
    const plain = terminalText(outcome(verb, status), PLAIN).answer;
    expect(coloured).not.toBe(plain);
    expect(stripVTControlCharacters(coloured)).toBe(plain);
  });

  it.each(ALL)('of %s that is %s has nothing raw of a hostile key and owner', (verb, status) => {
    const hostile = '\u001b[2J\u0000\n\u202e\u009b';
    const answer = outcome(verb, status, { key: hostile, owner: hostile });
    const texts = [terminalText(answer, PLAIN), pipedText(answer)].flatMap(({ answer, talk }) => [
      answer,
      ...talk,
    ]);
    for (const text of [
      ...texts,
      pipedRow(answer).replaceAll('\t', ' '),
      JSON.stringify(outcomeJson(answer, 0)),
    ]) {
      expect(text).not.toMatch(/\p{C}/u);
    }
  });

  it('in a pipe is the owner alone for owner and acquire, the status for the others, and nothing for no owner', () => {
    const piped = ALL.map(([verb, status]) => [verb, status, pipedText(outcome(verb, status)).answer]);
    expect(piped.filter(([verb]) => verb === 'owner' || verb === 'acquire')).toEqual([
      ['owner', 'held', 'run-1'],
      ['owner', 'free', ''],
      ['acquire', 'acquired', 'run-1'],
      ['acquire', 'refreshed', 'run-1'],
      ['acquire', 'held-by-other', ''],
    ]);
    for (const [verb, status, answer] of piped) {
      if (verb !== 'owner' && verb !== 'acquire') expect(answer).toBe(status);
    }
  });

  it('of one among several keys is a row of four', () => {
    expect(pipedRow(outcome('owner', 'held'))).toBe('deploy\theld\trun-1\t12400');
    expect(pipedRow(outcome('owner', 'free'))).toBe('deploy\tfree\t-\t-');
    expect(pipedRow(outcome('owner', 'held', { key: 'a\tb\0c', owner: 'x\ny' }))).toBe(
      'a\\x09b\\0c\theld\tx\\x0ay\t12400',
    );
    const { key: _, ...thread } = outcome('owner', 'free');
    expect(pipedRow({ ...thread, thread: 't\n1' })).toBe('thread:t\\x0a1\tfree\t-\t-');
  });

  it('that names a holder gives the option that would name it, ready for a shell', () => {
    const last = (verb: KeyVerb) => pipedText(outcome(verb, 'held-by-other', { owner: "-o'x" })).talk.at(-1);
    expect(last('release')).toContain(String.raw`--owner='-o'\''x'`);
    expect(last('renew')).toContain(String.raw`--owner='-o'\''x'`);
    expect(last('transfer')).toContain(String.raw`--from='-o'\''x'`);
  });

  it('says how long, until when, or that there is no end', () => {
    expect(terminalText(outcome('acquire', 'acquired'), PLAIN).answer).toBe(
      "acquired  deploy is run-1's for 12.4 s (until 2026-11-29T02:14:23.400Z)",
    );
    expect(terminalText(outcome('owner', 'held'), PLAIN).answer).toBe(
      "held      deploy is run-1's for another 12.4 s",
    );
    const forEver = {
      ...outcome('owner', 'held'),
      lease: { key: 'deploy', owner: 'run-1', remainingMs: null },
    };
    expect(terminalText(forEver, PLAIN).answer).toBe(
      "held      deploy is run-1's for ever: it has no expiry",
    );
  });
});

it('JSON marks the instant of expiry as inferred, and has none where there is none', () => {
  expect(outcomeJson(outcome('owner', 'held'), 0)).toMatchObject({
    remainingMs: 12_400,
    expiresAt: '2026-11-29T02:14:23.400Z',
    inferred: ['expiresAt'],
    at: '2026-11-29T02:14:11.000Z',
  });
  expect(outcomeJson(outcome('owner', 'free'), 4)).not.toHaveProperty('owner');
});
