import { describe, expect, test } from 'vitest';
import type { WatchEvent } from '../../src/operations/watch-event.js';
import { snapshot, threadEvent, threadLease, up } from './events.js';
import { Run, START_MS } from './run-reducer.js';

const later = (seconds: number) => ({ atMs: START_MS + seconds * 1_000 });

const EVENTS: readonly WatchEvent[] = [
  snapshot([threadLease('u', 'a', 'run-1')], START_MS),
  up(START_MS),
  threadEvent('renewed', 'u', 'a', 'run-1', later(5)),
  threadEvent('renewed', 'u', 'a', 'run-1', later(10)),
  threadEvent('transferred', 'u', 'a', 'run-2', { ...later(12), previousOwner: 'run-1' }),
  threadEvent('expired', 'u', 'a', 'run-2', later(30)),
];

function open(events = EVENTS, speed = 1): Run {
  return new Run({ recording: { events, speed }, refusal: 'a recording cannot be changed' });
}

const position = ({ state }: Run) => state.replay?.position;
const owners = ({ state }: Run) => state.known.rows.map(({ owner }) => owner);

describe('a recording', () => {
  test('opens at its first event, standing still', () => {
    const run = open().wait(60_000);
    expect(position(run)).toBe(1);
    expect(owners(run)).toEqual(['run-1']);
  });

  test('is stepped through by what the log shows, to its ends and no further', () => {
    const run = open();
    const forth = Array.from({ length: 4 }, () => position(run.press('right')));
    expect(forth).toEqual([2, 5, 6, 6]);
    expect(owners(run)).toEqual([]);
    const back = Array.from({ length: 4 }, () => position(run.press('left')));
    expect(back).toEqual([5, 2, 1, 1]);
    expect(owners(run)).toEqual(['run-1']);
  });

  test('is stepped through renewal by renewal with . and ,', () => {
    const run = open().press('.', '.', '.');
    expect(run.state.known.rows[0]?.renewals.count).toBe(2);
    expect(run.press(',').state.known.rows[0]?.renewals.count).toBe(1);
  });

  test('plays in its own time, so many times as fast, and stops at its end', () => {
    const run = open(EVENTS, 2).press(' ').wait(5_500);
    expect(position(run)).toBe(4);
    expect(run.wait(500).state.known.rows[0]?.owner).toBe('run-2');
    expect(run.wait(60_000).state.replay).toMatchObject({ position: 6, isPlaying: false });
    expect(run.press(' ').state.replay?.isPlaying).toBe(false);
  });

  test('a step stops the playing', () => {
    expect(open().press(' ', 'right').state.replay?.isPlaying).toBe(false);
  });

  test('is the same at a position however it was come by, over thousands of events', () => {
    const events: WatchEvent[] = [snapshot([], START_MS), up(START_MS)];
    for (let index = 0; index < 3_500; index += 1) {
      const type = index % 7 === 3 ? 'released' : index % 3 === 0 ? 'acquired' : 'renewed';
      events.push(threadEvent(type, 'u', `t-${index % 40}`, `run-${index % 5}`, later(index)));
    }
    const straight = open(events).press(' ').wait(1_999_000);
    const roundabout = open(events).press(' ').wait(5_000_000);
    while ((position(roundabout) ?? 0) > (position(straight) ?? 0)) roundabout.press(',');
    expect(roundabout.state.known).toEqual(straight.state.known);
    expect(roundabout.state.view.shown).toEqual(straight.state.view.shown);
  });

  test('without events there is nothing to see and nothing to step to', () => {
    const run = open([]).press('right', 'left', ' ').wait(1_000);
    expect(position(run)).toBe(0);
    expect(run.state.known.isComplete).toBe(false);
  });

  test('cannot be changed', () => {
    expect(open().press('x', 't').type('a').press('enter').effects).toEqual([]);
  });
});
