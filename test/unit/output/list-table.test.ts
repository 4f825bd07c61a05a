import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { readHealth } from '../../../src/lease/health.js';
import { parseKey } from '../../../src/lease/key.js';
import type { ListedLease } from '../../../src/operations/list-leases.js';
import { leaseTable } from '../../../src/output/list-table.js';
import { makeTheme } from '../../../src/output/theme.js';

const PLAIN = makeTheme({ isTerminal: false, env: {}, isRefused: true });

function listed(key: string, owner: string, remainingMs: number | null): ListedLease {
  const lease = { key, owner, remainingMs };
  return { ...lease, ...readHealth(lease), parts: parseKey(key) };
}

it('is aligned, and no wider than what is in it', () => {
  const table = leaseTable(
    [listed('user-42\0t-1', 'run-7', 12_400), listed('deploy', 'job', null)],
    120,
    PLAIN,
  );
  expect(table.split('\n')).toEqual([
    'KIND    RESOURCE  THREAD OR KEY  OWNER  LEFT       HEALTH',
    'thread  user-42   t-1            run-7  12.4 s     ok',
    'other             deploy         job    no expiry  no-expiry',
  ]);
});

it.each([60, 80, 100, 120, 200])('fits in %d columns, and cuts ids only', (columns) => {
  const ids = [
    'x'.repeat(300),
    '漢'.repeat(100),
    'e\u0301'.repeat(100),
    '🧵'.repeat(100),
    '👩‍👩‍👧‍👦'.repeat(30),
    '\u001b'.repeat(50),
  ];
  const lines = leaseTable(
    ids.map((id) => listed(`${id}\0${id}`, id, 750_000)),
    columns,
    PLAIN,
  ).split('\n');
  expect(lines).toHaveLength(ids.length + 1);
  for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
  for (const line of lines.slice(1)) expect(line).toMatch(/^thread .* 12 min 30 s +ok$/);
});

it('on a very narrow terminal still tells something of each id', () => {
  const [, row = ''] = leaseTable(
    [listed('resource-1234\0thread-1234', 'owner-1234', 12_000)],
    10,
    PLAIN,
  ).split('\n');
  expect(row).toMatch(/^thread {2}reso…234 {2}thre…234 {2}owne…234 {2}12\.0 s {2,}ok$/);
});
