import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseOwner, uniqueOwner } from '../../../src/lease/owner.js';

describe('an owner', () => {
  it('written by the runtime with its process tells its run, its process and its id', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), fc.string(), (runId, process, id) => {
        const owner = `mastra-thread-owner:${JSON.stringify([runId, process, id])}`;
        expect(parseOwner(owner)).toEqual({ kind: 'thread-owner', runId, process, id });
      }),
    );
  });

  it.each([
    '',
    '7f3c2a10-58cc-4372-a567-0e02b2c3d479',
    'ci@host:4242:a1b2',
    'mastra-thread-owner:',
    'mastra-thread-owner:["run","process"]',
    'mastra-thread-owner:["run","process","id","more"]',
    'mastra-thread-owner:["run","process",3]',
    'mastra-thread-owner:"run"',
    'mastra-thread-owner:null',
    'mastra-thread-owner:{"length":3}',
    'mastra-thread-owner:["run","process","id"',
    'x-mastra-thread-owner:["run","process","id"]',
  ])('%j tells nothing but itself', (owner) => {
    expect(parseOwner(owner)).toEqual({ kind: 'plain' });
  });

  it('never makes reading it throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (rest) => {
        expect(['plain', 'thread-owner']).toContain(parseOwner(`mastra-thread-owner:${rest}`).kind);
      }),
    );
  });

  it('made for one command names the user, the host and the process, and is random', () => {
    expect(uniqueOwner({ user: 'ana', host: 'web-1', pid: 4242, random: 'k3x9' })).toBe(
      'ana@web-1:4242:k3x9',
    );
  });
});
