import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { watchInterrupts } from '../../../src/cli/signals.js';

describe('interrupts', () => {
  it.each([
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('%s aborts with a reason that has the exit code %d', (name, exitCode) => {
    const source = new EventEmitter();
    const { signal } = watchInterrupts(source);
    expect(signal.aborted).toBe(false);
    source.emit(name);
    expect(signal.reason).toMatchObject({ exitCode, message: `Interrupted by ${name}` });
  });

  it('the first one decides', () => {
    const source = new EventEmitter();
    const { signal } = watchInterrupts(source);
    source.emit('SIGTERM');
    source.emit('SIGINT');
    expect(signal.reason).toMatchObject({ exitCode: 143 });
  });

  it('a second of the same is the system’s to handle, so that what hangs can be killed', () => {
    const source = new EventEmitter();
    watchInterrupts(source);
    source.emit('SIGINT');
    expect(source.listenerCount('SIGINT')).toBe(0);
  });

  it('stopping leaves nothing behind', () => {
    const source = new EventEmitter();
    const { signal, stop } = watchInterrupts(source);
    stop();
    expect(source.eventNames()).toEqual([]);
    expect(signal.aborted).toBe(false);
  });
});
