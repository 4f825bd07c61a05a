import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { NotPermittedError } from '../../../src/lease/errors.js';
import type { ThreadActivity } from '../../../src/lease/evidence.js';
import { nextSteps } from '../../../src/lease/next-steps.js';
import { judge, type VerdictFacts } from '../../../src/lease/verdict.js';
import type { Inspection } from '../../../src/operations/inspect/inspect.js';
import { inspectionJson } from '../../../src/output/inspect/json.js';
import { pulseCells, pulseRow } from '../../../src/output/inspect/pulse-text.js';
import { filledLinks, stepWords } from '../../../src/output/inspect/steps.js';
import { pulseTable } from '../../../src/output/inspect/table.js';
import { inspectLines } from '../../../src/output/inspect/text.js';
import { makeTheme } from '../../../src/output/theme.js';

const NOW = Date.UTC(2026, 10, 29, 2, 14, 11);
const KEY = 'user-42\0abc';
const theme = makeTheme({ isTerminal: false, env: {}, isRefused: false });
const SETTING = { links: {}, typed: {}, isReadOnlyContext: false };
const VIEW = { ...SETTING, theme, columns: Number.POSITIVE_INFINITY, isSourceShown: false };
const SOURCE = {
  backend: 'redis://10.0.0.5:6379/0',
  foundBy: '--backend',
  keyPrefix: 'mastra:topic',
  role: 'primary',
} as const;

function activity(parts: Partial<ThreadActivity> = {}): ThreadActivity {
  const atMs = NOW - 492_000;
  return {
    stream: 's',
    nowMs: NOW,
    clock: 'server',
    length: 412,
    events: [{ id: `${atMs}-0`, atMs, type: 'stream-part', runId: 'run-7f3c2a10', process: '3f2a91c7' }],
    isWhole: true,
    runs: [
      {
        runId: 'run-7f3c2a10',
        process: '3f2a91c7',
        firstEventAtMs: NOW - 541_000,
        registeredAtMs: NOW - 541_000,
        lastEventAtMs: atMs,
        lastEventType: 'stream-part',
        state: 'unfinished',
      },
    ],
    waiting: { count: 2, sinceMs: NOW - 40_000 },
    groups: 3,
    pending: 0,
    bytes: 1_234_567,
    unreadable: 0,
    ...parts,
  };
}

function inspection(facts: Partial<VerdictFacts> = {}, rest: Partial<Inspection> = {}): Inspection {
  const all: VerdictFacts = {
    key: KEY,
    lease: { key: KEY, owner: 'run-7f3c2a10', remainingMs: 12_400 },
    renewals: { seen: 2, intervalMs: 5_000, lastAgoMs: 900, watchedMs: 6_000 },
    evidence: 'read',
    activity: activity(),
    ttlMs: 15_000,
    ...facts,
  };
  const judgement = judge(all);
  return {
    key: all.key,
    facts: all,
    eventsRead: all.activity?.events.length ?? 0,
    judgement,
    steps: nextSteps(judgement, all),
    related: { leases: [] },
    notes: [],
    caveats: [],
    atMs: NOW,
    source: SOURCE,
    ...rest,
  };
}

describe('the screen of a key', () => {
  it('says what is known, the verdict in capitals, and what to do', () => {
    expect(inspectLines(inspection(), { ...VIEW, columns: 200, isSourceShown: true })).toEqual([
      expect.stringMatching(
        /^thread abc · resource user-42 +redis:\/\/10\.0\.0\.5:6379\/0 primary · mastra:topic · 2026-11-29T02:14:11Z$/,
      ),
      '',
      '  lease     held by run-7f3c2a10 · 12.4 s left · renewed every 5.0 s (2 seen)',
      '  events    412 kept in 1.2 MB · last 8 min 12 s ago (stream-part 02:05:59Z) · registered 02:05:10Z by process 3f2a91c7',
      '  waiting   2 messages since 40.0 s',
      '  readers   3 groups · 0 unacknowledged',
      expect.stringMatching(/^ {2}verdict {3}SILENT {2}\S/),
      '',
      '  next  1   abort the run   POST /api/agents/AGENT/threads/abort  {"resourceId":"user-42","threadId":"abc"}',
      '        2   its logs        run run-7f3c2a10 · process 3f2a91c7   (links.run in the config makes a link of it)',
      '        3   only then       mastra-lease release --force --resource user-42 --thread abc',
      '            beware          released first, the run goes on and other processes can no longer abort it',
    ]);
  });

  it.each([40, 60, 80, 120])(
    'breaks what is read between its parts in %d columns, and never what is copied',
    (columns) => {
      const lines = inspectLines(inspection(), { ...VIEW, columns });
      const copied = lines.filter((line) => /POST|mastra-lease|links\.run|beware|released first/.test(line));
      for (const line of lines) {
        const isOnePart = line.trim().split(/ · | {2,}/).length <= 2;
        if (!copied.includes(line) && !isOnePart) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
      }
      expect(copied).toContain(
        '        3   only then       mastra-lease release --force --resource user-42 --thread abc',
      );
    },
  );

  it('says of an event of another day which day it was, and by which clock', () => {
    const atMs = NOW - 90_000_000;
    const old = activity({
      clock: 'host',
      isWhole: false,
      unreadable: 3,
      events: [{ id: '1-0', atMs, type: 'stream-part' }],
    });
    const text = inspectLines(inspection({ activity: old }), VIEW).join('\n');
    expect(text).toContain('last 25 h ago (stream-part 2026-11-28T01:14:11Z)');
    expect(text).toContain('the last 4 looked at · 3 of them unreadable · ages by the clock of this host');
  });

  it('tells runs beside the owner’s, those that wait for an answer, and those that were asked to end', () => {
    const run = { firstEventAtMs: NOW - 9_000, lastEventAtMs: NOW - 2_000, lastEventType: 'stream-part' };
    const runs: ThreadActivity['runs'] = [
      { ...run, runId: 'run-7f3c2a10', process: 'a', state: 'unfinished', abortRequestedAtMs: NOW - 1_000 },
      {
        ...run,
        runId: 'other',
        process: 'b',
        state: 'unfinished',
        rivals: [{ process: 'c', lastEventAtMs: NOW - 3_000 }],
      },
      { ...run, runId: 'done', state: 'ended' },
    ];
    const text = inspectLines(inspection({ activity: activity({ runs }) }), VIEW).join('\n');
    expect(text).toContain(
      '  runs      run-7f3c2a10 unfinished · last stream-part 2.0 s ago · process a · asked to abort 1.0 s ago\n',
    );
    expect(text).toContain(
      '            other unfinished, not the owner · last stream-part 2.0 s ago · process b · also of process c, 3.0 s ago\n',
    );
    expect(text).not.toContain('done ended');
  });

  it.each([
    [{ evidence: 'no-stream' } as const, {}, 'none: the thread has no stream there'],
    [{ evidence: 'unavailable' } as const, {}, 'cannot be read on this backend'],
    [
      { evidence: 'unavailable' } as const,
      { evidenceError: new NotPermittedError('NOPERM') },
      'not permitted: NOPERM',
    ],
  ])('says why there are no events: %j', (facts, rest, words) => {
    const { activity: _, ...lease } = inspection().facts;
    const text = inspectLines({ ...inspection({}, rest), facts: { ...lease, ...facts } }, VIEW).join('\n');
    expect(text).toContain(`  events    ${words}\n`);
  });

  it('says that a lease of a longer time hides a death, and until when', () => {
    const facts = { lease: { key: KEY, owner: 'run-7f3c2a10', remainingMs: 66_000 } };
    const { renewals: _, ...seen } = inspection(facts).facts;
    const judgement = judge(seen);
    const lines = inspectLines({ ...inspection(), facts: seen, judgement }, VIEW);
    expect(lines).toContain(
      '            cannot tell before 2026-11-29T02:15:07Z (in 56.0 s): until then a dead holder looks like a live one',
    );
    expect(inspectionJson({ ...inspection(), facts: seen, judgement }, 0, SETTING)).toMatchObject({
      cannotTellForMs: 56_000,
      cannotTellBefore: '2026-11-29T02:15:07.000Z',
    });
  });
});

describe('the next steps', () => {
  const commandsOf = (facts: Partial<VerdictFacts>, setting = SETTING) =>
    stepWords(inspection(facts), setting).map(
      ({ command, text, request }) => command ?? text ?? request?.path,
    );

  it('name commands that reach the same backend, with owners as they can be typed back', () => {
    const owner = '-run \\0 one';
    const other = {
      runId: 'run-2',
      firstEventAtMs: NOW - 900,
      registeredAtMs: NOW - 900,
      lastEventAtMs: NOW - 500,
      lastEventType: 'stream-part',
      state: 'unfinished',
      process: 'p',
    } as const;
    const [transfer] = commandsOf(
      { lease: { key: KEY, owner, remainingMs: 12_400 }, activity: activity({ runs: [other] }) },
      { ...SETTING, typed: { backend: 'redis://u:pw@h:1', json: true } as object },
    );
    expect(transfer).toBe(
      "mastra-lease transfer --from='-run \\\\0 one' --to run-2 --ttl 30s --backend 'redis://…@h:1' --resource user-42 --thread abc",
    );
  });

  it('look again for as long as it takes, in a duration that the option takes', () => {
    const { renewals: _, activity: __, ...rest } = inspection().facts;
    const facts = { ...rest, evidence: 'no-stream', ttlMs: 16_000 } as const;
    const judgement = judge(facts);
    const words = stepWords(
      { ...inspection(), facts, judgement, steps: nextSteps(judgement, facts) },
      SETTING,
    );
    expect(words.map(({ command }) => command)).toEqual([
      'mastra-lease inspect --observe 6334ms --resource user-42 --thread abc',
    ]);
  });

  it('ask whether a word that nobody holds was a thread’s id: of that thread, its being free says nothing', () => {
    const facts = { key: 't-1', evidence: 'no-stream', isPrefixUsed: true, ttlMs: 15_000 } as const;
    const judgement = judge(facts);
    const words = stepWords({ ...inspection(), key: 't-1', facts, judgement, steps: [] }, SETTING);
    expect(words).toMatchObject([{ kind: 'search', command: 'mastra-lease inspect --thread t-1' }]);
  });

  it('name the agent only where a lease of the run does, and exactly one', () => {
    const lease = (agent: string) => ({
      relation: 'recovery' as const,
      lease: { key: `mastra:durable-agent-recovery:v1:["${agent}","run-7f3c2a10"]`, owner: 'x' },
    });
    const path = (agents: readonly string[]) =>
      stepWords(inspection({}, { related: { leases: agents.map(lease) } }), SETTING)[0]?.request?.path;
    expect(path([])).toBe('/api/agents/AGENT/threads/abort');
    expect(path(['a/b c'])).toBe('/api/agents/a%2Fb%20c/threads/abort');
    expect(path(['a', 'b'])).toBe('/api/agents/AGENT/threads/abort');
  });

  it('say on a read-only context that a write is refused from here', () => {
    const words = stepWords(inspection(), { ...SETTING, isReadOnlyContext: true });
    expect(words.map(({ note }) => note)).toEqual([
      undefined,
      'links.run in the config makes a link of it',
      'refused from here: the config says readOnly',
    ]);
  });

  it('carry a body that is JSON, whatever the ids are', () => {
    const ids = ['r"\\\u202e\u009b', 't\u001b\u{e0001}\n'] as const;
    const key = ids.join('\0');
    const [step] = stepWords(
      inspection({ key, lease: { key, owner: 'run-7f3c2a10', remainingMs: 12_000 } }),
      SETTING,
    );
    const body = step?.request?.body ?? '';
    expect(body).not.toMatch(/[\p{C}\u{e0001}]/u);
    expect(JSON.parse(body)).toEqual({ resourceId: ids[0], threadId: ids[1] });
  });
});

describe('links', () => {
  it('are filled in URL-encoded, and left out where what they need is not known', () => {
    const links = {
      run: 'https://logs/{run}?o={owner}',
      ids: '{resource}/{thread}/{process}',
      json: 'https://g/?q={"expr":"{run}"}',
    };
    const named = inspection({
      lease: { key: KEY, owner: 'run/1 ü', remainingMs: 5_000 },
      activity: activity({ runs: [] }),
    });
    expect(Object.fromEntries(filledLinks(named, { ...SETTING, links }))).toEqual({
      run: 'https://logs/run%2F1%20%C3%BC?o=run%2F1%20%C3%BC',
      json: 'https://g/?q={"expr":"run%2F1%20%C3%BC"}',
    });
    expect(Object.fromEntries(filledLinks(inspection(), { ...SETTING, links }))).toMatchObject({
      ids: 'user-42/abc/3f2a91c7',
    });
  });
});

describe('a row of the pulse', () => {
  it('tells verdict, key, owner, and how long nothing was heard', () => {
    expect(pulseRow(inspection())).toBe(
      'silent\tthread\tuser-42\\0abc\trun-7f3c2a10\t12400\t492000\t3f2a91c7\tuser-42\tabc',
    );
    expect(pulseCells(inspection())).toEqual({
      verdict: 'SILENT',
      resource: 'user-42',
      threadOrKey: 'abc',
      owner: 'run-7f3c2a10',
      left: '12.4 s',
      quiet: '8 min 12 s',
      process: '3f2a91c7',
    });
  });

  it('of a key whose bytes are no text tells them in hex', () => {
    const lease = { key: '\ufffd', keyHex: 'ff', owner: 'x', remainingMs: null };
    const named = inspection({ key: '\ufffd', lease });
    expect(pulseRow(named)).toContain('\thex:ff\tx\t-\t');
    expect(pulseCells(named).threadOrKey).toBe('hex:ff');
  });

  it('is a line of a table that fits', () => {
    for (const columns of [80, 100]) {
      const lines = pulseTable(
        [inspection(), inspection({ key: `x${'y'.repeat(200)}` })],
        columns,
        theme,
      ).split('\n');
      expect(lines).toHaveLength(3);
      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    }
  });
});
