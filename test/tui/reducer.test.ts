import { describe, expect, test } from 'vitest';
import type { KeyOutcome } from '../../src/operations/outcome.js';
import { entryText } from '../../src/tui/log-text.js';
import { leaseInFocus } from '../../src/tui/state.js';
import { rowsOnScreen, selectedRow } from '../../src/tui/table-view.js';
import { lease, snapshot, threadEvent, threadLease, up } from './events.js';
import { Run, START_MS } from './run-reducer.js';

const threads = ({ state }: Run) => rowsOnScreen(state.view, 100).map(({ key }) => key.split('\0').at(-1));
const words = ({ state }: Run) => state.known.log.map((entry) => entryText(entry).word);
const at = { atMs: START_MS };

function threeThreads(): Run {
  return new Run().see(
    snapshot(
      [threadLease('u', 'b', 'run-2'), threadLease('u', 'a', 'run-1'), threadLease('u', 'c', 'run-3')],
      START_MS,
    ),
    up(START_MS),
  );
}

describe('what happens', () => {
  test('a snapshot is the whole state: what is not in it is gone', () => {
    const run = threeThreads().see(snapshot([threadLease('u', 'b', 'run-2')], START_MS));
    expect(threads(run)).toEqual(['b']);
    expect(run.state.known.counts).toEqual({ total: 1, late: 0, noExpiry: 0 });
  });

  test('problems stand on top, the worst first, and what is well stays in its place', () => {
    const run = threeThreads()
      .see(threadEvent('late', 'u', 'c', 'run-3', at))
      .see(threadEvent('no-expiry', 'u', 'b', 'run-2', at));
    expect(threads(run)).toEqual(['b', 'c', 'a']);
    expect(run.state.known.counts).toEqual({ total: 3, late: 1, noExpiry: 1 });
    run.see(threadEvent('renewed', 'u', 'c', 'run-3', at), threadEvent('renewed', 'u', 'b', 'run-2', at));
    expect(threads(run)).toEqual(['a', 'b', 'c']);
  });

  test('a lease that is released or expires leaves the table and stays in the log', () => {
    const run = threeThreads().see(
      threadEvent('released', 'u', 'a', 'run-1', at),
      threadEvent('expired', 'u', 'b', 'run-2', at),
    );
    expect(threads(run)).toEqual(['c']);
    expect(words(run)).toEqual(['connected', 'released', 'expired']);
  });

  test('renewals are counted with the times between them, and are not in the log', () => {
    const run = threeThreads();
    for (const second of [5, 10, 18])
      run.see(threadEvent('renewed', 'u', 'a', 'run-1', { atMs: START_MS + second * 1_000 }));
    expect(selectedRow(run.state.view)?.renewals).toEqual({
      count: 3,
      lastAtMs: START_MS + 18_000,
      intervalsMs: [5_000, 8_000],
    });
    expect(words(run)).toEqual(['connected']);
  });

  test('what was seen of a lease goes on after a gap under the same owner, and begins anew under another', () => {
    const run = threeThreads().see(threadEvent('renewed', 'u', 'a', 'run-1', { atMs: START_MS + 5_000 }));
    const later = START_MS + 60_000;
    run.see(snapshot([threadLease('u', 'a', 'run-1'), threadLease('u', 'b', 'run-9')], later));
    expect(run.state.known.rows.map(({ seenAtMs, renewals }) => [seenAtMs, renewals.count])).toEqual([
      [START_MS, 1],
      [later, 0],
    ]);
  });

  test('keys that are no text and look the same are different leases', () => {
    const run = new Run().see(
      snapshot([lease('\ufffd', 'a', { keyHex: 'ff' }), lease('\ufffd', 'b', { keyHex: 'fe' })], START_MS),
    );
    expect(run.state.known.counts.total).toBe(2);
    expect(
      run.see({ ...threadEvent('released', '', '', 'a', at), key: '\ufffd', keyHex: 'ff' }).state.known.rows,
    ).toMatchObject([{ keyHex: 'fe' }]);
  });

  test('a lost backend is stale since it was lost first, until it is back', () => {
    const run = threeThreads().see(
      { type: 'backend-down', atMs: START_MS, reason: 'connection refused' },
      { type: 'backend-down', atMs: START_MS + 9_000, reason: 'timed out' },
    );
    expect(run.state.known.feed).toEqual({ kind: 'stale', sinceMs: START_MS, reason: 'timed out' });
    expect(threads(run)).toEqual(['a', 'b', 'c']);
    expect(run.see(up(START_MS)).state.known.feed).toEqual({ kind: 'live', how: 'pushed' });
  });

  test('events that are told no more are not taken for calm', () => {
    expect(threeThreads().do({ type: 'ended' }).state.known.feed.kind).toBe('stale');
  });

  test('a time left that cannot be read is unknown, not over', () => {
    const { key, owner } = threadLease('u', 'a', 'run-1');
    const run = new Run().see(snapshot([{ key, owner }], START_MS));
    expect(run.state.known.rows[0]).not.toHaveProperty('endsAtMs');
    expect(run.state.known.rows[0]).not.toHaveProperty('health');
  });
});

describe('the selection', () => {
  test('is the first row, whichever that is, until a row is chosen', () => {
    const run = threeThreads().see(threadEvent('late', 'u', 'c', 'run-3', at));
    expect(selectedRow(run.state.view)?.owner).toBe('run-3');
  });

  test('stays on its key when rows move', () => {
    const run = threeThreads()
      .press('down')
      .see(threadEvent('late', 'u', 'c', 'run-3', at));
    expect(selectedRow(run.state.view)?.owner).toBe('run-2');
    run.press('s', 's', 'S');
    expect(selectedRow(run.state.view)?.owner).toBe('run-2');
  });

  test('goes to the row that takes the place of one that ends', () => {
    const run = threeThreads()
      .press('down')
      .see(threadEvent('released', 'u', 'b', 'run-2', at));
    expect(selectedRow(run.state.view)?.owner).toBe('run-3');
    run.see(threadEvent('released', 'u', 'c', 'run-3', at));
    expect(selectedRow(run.state.view)?.owner).toBe('run-1');
  });

  test('a page, the first and the last go no further than there are rows', () => {
    const run = threeThreads().press('pagedown', 'pagedown');
    expect(selectedRow(run.state.view)?.owner).toBe('run-3');
    expect(selectedRow(run.press('g').state.view)?.owner).toBe('run-1');
    expect(selectedRow(run.press('G').state.view)?.owner).toBe('run-3');
    expect(selectedRow(run.press('pageup').state.view)?.owner).toBe('run-1');
  });
});

describe('filters and order', () => {
  test('a filter works while it is typed; escape brings back the one before', () => {
    const run = threeThreads().press('/').type('run-2');
    expect(threads(run)).toEqual(['b']);
    expect(threads(run.press('enter'))).toEqual(['b']);
    expect(threads(run.press('/').type('x'))).toEqual([]);
    expect(threads(run.press('escape'))).toEqual(['b']);
    expect(threads(run.press('escape'))).toEqual(['a', 'b', 'c']);
  });

  test.each([
    ['run-3', ['c']],
    ['RUN-3', ['c']],
    ['owner:run-1', ['a']],
    ['owner:b', []],
    ['thread:b', ['b']],
    ['resource:u run-1', ['a']],
    ['kind:thr', ['a', 'b', 'c']],
    ['kind:claim', []],
    ['health:late', ['c']],
    ['health:forever', []],
    ['u\\0a', ['a']],
    ['nothing:here', []],
    ['constructor:x', []],
    ['hasOwnProperty:', []],
  ])('%s finds what it says', (filter, found) => {
    const run = threeThreads().see(threadEvent('late', 'u', 'c', 'run-3', at));
    expect(threads(run.press('/').type(filter)).toSorted()).toEqual(found);
  });

  test('f shows only problems, and rows come and go with them', () => {
    const run = threeThreads().press('f');
    expect(threads(run)).toEqual([]);
    expect(threads(run.see(threadEvent('late', 'u', 'c', 'run-3', at)))).toEqual(['c']);
    expect(threads(run.see(threadEvent('renewed', 'u', 'c', 'run-3', at)))).toEqual([]);
    expect(threads(run.press('f'))).toEqual(['a', 'b', 'c']);
  });

  test('s goes through the columns and comes back, S turns the order round', () => {
    const run = threeThreads();
    const orders = Array.from({ length: 7 }, () => run.press('s').state.view.order.sort);
    expect(orders).toEqual(['kind', 'resource', 'thread', 'owner', 'left', 'seen', 'worst']);
    expect(threads(run.press('S'))).toEqual(['c', 'b', 'a']);
  });
});

describe('a pause', () => {
  test('keeps what is shown, counts what it misses, and goes on with all of it', () => {
    const run = threeThreads()
      .press(' ')
      .see(threadEvent('released', 'u', 'a', 'run-1', at));
    expect(threads(run)).toEqual(['a', 'b', 'c']);
    expect(run.state.frozen).toMatchObject({ atMs: START_MS, missed: 1 });
    expect(threads(run.press('s', 'S'))).toEqual(['c', 'b', 'a']);
    expect(threads(run.press('S', ' '))).toEqual(['b', 'c']);
  });

  test('does not hide that the backend was lost', () => {
    const run = threeThreads().press(' ').see({ type: 'backend-down', atMs: START_MS, reason: 'gone' });
    expect(run.state.known.feed.kind).toBe('stale');
  });
});

describe('a write', () => {
  const outcome: KeyOutcome = {
    verb: 'release',
    status: 'released',
    key: 'u\0a',
    previousOwner: 'run-1',
    atMs: START_MS,
    notes: [],
    source: { backend: 'redis://h', foundBy: '--backend' },
  };

  test('is sent with the owner that was shown, once the thread is typed', () => {
    const run = threeThreads()
      .press('x')
      .see(threadEvent('transferred', 'u', 'a', 'run-9', at));
    run.type('a').press('enter');
    expect(run.effects).toMatchObject([
      { type: 'write', write: { verb: 'release', lease: { key: 'u\0a', owner: 'run-1' } } },
    ]);
  });

  test('is not sent for another word, nor for none, nor when it is cancelled', () => {
    const run = threeThreads().press('x', 'enter').type('b').press('enter');
    expect(run.state.prompt).toMatchObject({
      kind: 'confirm',
      problem: 'expected a to be typed: nothing was sent',
    });
    run.press('escape').press('t').type('run-9').press('enter', 'escape');
    expect(run.state.prompt).toBeUndefined();
    expect(run.state.notice?.text).toBe('cancelled: nothing was sent');
    expect(run.effects).toEqual([]);
  });

  test('a transfer asks for the owner first, in its written form', () => {
    const run = threeThreads().press('t').type('run\\x2d9').press('enter').type('a').press('enter');
    expect(run.effects).toMatchObject([{ type: 'write', write: { verb: 'transfer', to: 'run-9' } }]);
  });

  test.each([
    ['', 'expected the new owner, got nothing'],
    ['run-1', "it is run-1's already"],
    ['\\q', 'expected \\0, \\xHH, \\u{…} or \\\\ after a backslash, got "\\q"'],
  ])('a transfer to %j is not even asked about', (owner, problem) => {
    const run = threeThreads().press('t').type(owner).press('enter');
    expect(run.state.prompt).toMatchObject({ kind: 'new-owner', problem });
  });

  test('on a backend of this host yes is enough', () => {
    const source = { backend: 'sqlite:/tmp/x', foundBy: 'default', scope: 'host' } as const;
    const run = new Run({ source }).see(snapshot([threadLease('u', 'a', 'run-1')], START_MS));
    expect(run.press('x').type('yes').press('enter').effects).toHaveLength(1);
  });

  test('a thread with an empty id is confirmed by a word all the same', () => {
    const run = new Run().see(snapshot([threadLease('u', '', 'run-1')], START_MS)).press('x', 'enter');
    expect(run.effects).toEqual([]);
    expect(run.type('yes').press('enter').effects).toHaveLength(1);
  });

  test.each(['x', 't'])('%s says why nothing can be written where nothing can', (key) => {
    const run = new Run({ refusal: 'this context is read-only' });
    run
      .see(snapshot([threadLease('u', 'a', 'run-1')], START_MS))
      .press(key)
      .type('a')
      .press('enter');
    expect(run.effects).toEqual([]);
    expect(run.state.prompt).toBeUndefined();
    expect(new Run({ refusal: 'this context is read-only' }).press(key).state.notice?.text).toBe(
      'this context is read-only',
    );
  });

  test('a lease whose bytes are no text cannot be named', () => {
    const run = new Run().see(snapshot([lease('\ufffd', 'a', { keyHex: 'ff' })], START_MS)).press('x');
    expect(run.state.prompt).toBeUndefined();
    expect(run.state.notice?.text).toMatch(/not UTF-8/);
  });

  test('its outcome and its failure are in the log, paused or not', () => {
    const run = threeThreads().press(' ', 'x').type('a').press('enter');
    expect(run.state.pendingWrites).toBe(1);
    run.do({ type: 'written', outcome });
    const lease = leaseInFocus(run.state);
    if (!lease) throw new Error('nothing is selected');
    run.do({ type: 'write-failed', write: { verb: 'release', lease }, message: 'connection refused' });
    const entries = run.state.frozen?.known.log.slice(-2).map((entry) => entryText(entry).subject);
    expect(entries).toEqual([
      "released: thread a · resource u is no longer run-1's",
      'the release of thread a · resource u failed: connection refused',
    ]);
  });

  test('one that is not answered yet is not left without a word', () => {
    const run = threeThreads().press('x').type('a').press('enter', 'q');
    expect(run.effects).toHaveLength(1);
    expect(run.state.notice?.text).toMatch(/not answered yet/);
    expect(run.press('q').effects.at(-1)).toEqual({ type: 'exit', exitCode: 0 });
  });

  test('cannot be confirmed on a terminal that is too small to show it', () => {
    const run = threeThreads()
      .press('x')
      .do({ type: 'resized', size: { columns: 50, rows: 15 } });
    run.type('a').press('enter');
    expect(run.effects).toEqual([]);
    run
      .do({ type: 'resized', size: { columns: 60, rows: 15 } })
      .type('a')
      .press('enter');
    expect(run.effects).toHaveLength(1);
  });
});

describe('other keys', () => {
  test('c copies the written form of the key', () => {
    expect(threeThreads().press('c').effects).toEqual([{ type: 'copy', text: 'u\\0a' }]);
  });

  test('e asks for a file and writes what is shown, tab-separated, with where and when', () => {
    const run = threeThreads().press('/').type('run-1').press('enter', 'e', 'enter');
    const [effect] = run.effects;
    if (effect?.type !== 'export') throw new Error('no export');
    expect(effect.path).toBe('mastra-lease-20261129T021400Z.txt');
    expect(effect.text.split('\n').slice(0, 5)).toEqual([
      '# redis://10.0.0.5:6379/0 primary · mastra:topic · --backend',
      '# 2026-11-29T02:14:00.000Z',
      '# 1 of 3 leases',
      '# kind\tkey\towner\tleftMs\thealth\tresource',
      'thread\tu\\0a\trun-1\t12400\tok\tu',
    ]);
  });

  test('details stay open when their lease ends, and come back with the next owner', () => {
    const run = threeThreads()
      .press('enter')
      .see(threadEvent('expired', 'u', 'a', 'run-1', at));
    expect(run.state.pane).toMatchObject({ kind: 'detail', lease: { owner: 'run-1' } });
    expect(leaseInFocus(run.state)).toBeUndefined();
    expect(run.press('x').state.notice?.text).toBe('nobody holds it any more');
    run.see(threadEvent('acquired', 'u', 'a', 'run-9', at));
    expect(leaseInFocus(run.state)?.owner).toBe('run-9');
  });

  test('help goes back to where it was asked for', () => {
    const run = threeThreads().press('enter', '?');
    expect(run.state.pane.kind).toBe('help');
    expect(run.press('?').state.pane.kind).toBe('detail');
  });

  test('what was told is gone after a while', () => {
    const run = threeThreads().press('c');
    expect(run.wait(1_000).state.notice).toBeDefined();
    expect(run.wait(5_000).state.notice).toBeUndefined();
  });
});
