import { describe, expect, it, onTestFinished } from 'vitest';
import { type ContenderProcess, startContenders } from './contender-process.js';
import type { Claim } from './contender-protocol.js';
import type { ContractSuite } from './contract-suite.js';

const TTL_MS = 60_000;
const CONTENDERS = 50;
const PROCESSES = 5;
const TRANSFERS = 1_000;
/** How often each side of a race tries at least: a database whose writer is quick lets others in seldom. */
const ATTEMPTS = 100;

export function describeContention(suite: ContractSuite): void {
  describe('contention', () => {
    it(`has exactly one winner among ${CONTENDERS} callers at once, whom all the others are told`, async () => {
      const callers = suite.openSeveral(CONTENDERS);
      const key = suite.freshKey();
      const claims = await Promise.all(
        callers.map(async (leases, index): Promise<Claim> => {
          const owner = `caller ${index}`;
          const { acquired, owner: named } = await leases.acquireLease(key, owner, TTL_MS);
          return { owner, acquired, named };
        }),
      );
      expectOneWinner(claims);
    });

    it('lets exactly one of many transfers from one owner succeed', async () => {
      const callers = suite.openSeveral(20);
      const key = suite.freshKey();
      await callers[0]?.acquireLease(key, 'a', TTL_MS);
      const moved = await Promise.all(
        callers.map((leases, index) => leases.transferLease(key, 'a', `next ${index}`, TTL_MS)),
      );
      expect(moved.filter(Boolean)).toHaveLength(1);
      expect(await callers[0]?.getLeaseOwner(key)).toBe(`next ${moved.indexOf(true)}`);
    });

    it(`never frees the key during ${TRANSFERS} transfers, while others keep trying to claim it`, async () => {
      const [leases, reader, ...racers] = suite.openSeveral(4);
      if (!leases || !reader) throw new Error('There are not enough providers');
      const key = suite.freshKey();
      await leases.acquireLease(key, 'even', TTL_MS);
      let isRacing = true;
      let refusals = 0;
      const intruders: string[] = [];
      const owners = new Set<string | undefined>();
      const race = racers.map(async (racer, index) => {
        while (isRacing) {
          const { acquired } = await racer.acquireLease(key, `racer ${index}`, TTL_MS);
          if (acquired) intruders.push(`racer ${index}`);
          else refusals += 1;
          owners.add(await reader.getLeaseOwner(key));
          // Not every provider waits for something outside the process: let the others have their turn.
          await suite.backend.passTime(0);
        }
      });
      await transferBackAndForth(suite, leases, key, async () => refusals + intruders.length > ATTEMPTS);
      isRacing = false;
      await Promise.all(race);
      expect(intruders).toEqual([]);
      expect([...owners].sort()).toEqual(['even', 'odd']);
    });

    if (suite.scope !== 'process') describeProcesses(suite);
  });
}

function describeProcesses(suite: ContractSuite): void {
  it(`has exactly one winner among ${CONTENDERS} contenders in ${PROCESSES} processes, time and again`, async () => {
    const processes = await startProcesses(suite, PROCESSES, CONTENDERS / PROCESSES);
    for (let round = 0; round < 10; round += 1) {
      const key = suite.freshKey();
      const claims = await Promise.all(processes.map((each) => each.claim(key, TTL_MS)));
      expectOneWinner(claims.flat());
    }
  }, 60_000);

  it(`never frees the key during ${TRANSFERS} transfers, while other processes keep trying to claim it`, async () => {
    const leases = suite.open();
    const key = suite.freshKey();
    await leases.acquireLease(key, 'even', TTL_MS);
    const processes = await startProcesses(suite, 2, 2);
    await Promise.all(processes.map((each) => each.race(key, TTL_MS)));
    await transferBackAndForth(suite, leases, key, async () => {
      const attempts = await Promise.all(processes.map((each) => each.attempts()));
      return Math.min(...attempts) > ATTEMPTS;
    });
    const results = await Promise.all(processes.map((each) => each.finish()));
    expect(results.map(({ wins }) => wins)).toEqual([0, 0]);
    expect(await leases.getLeaseOwner(key)).toBe('even');
  }, 60_000);
}

/** Transfers to and fro, each granted, so many times at least and on until the others have tried often enough. */
async function transferBackAndForth(
  suite: ContractSuite,
  leases: ReturnType<ContractSuite['open']>,
  key: string,
  othersHaveTried: () => Promise<boolean>,
): Promise<void> {
  let granted = 0;
  do {
    for (let index = 0; index < TRANSFERS / 10; index += 1) {
      const [from, to] = index % 2 === 0 ? ['even', 'odd'] : ['odd', 'even'];
      expect(await leases.transferLease(key, from, to, TTL_MS)).toBe(true);
      granted += 1;
      await suite.backend.passTime(0);
    }
  } while (granted < TRANSFERS || !(await othersHaveTried()));
}

function expectOneWinner(claims: readonly Claim[]): void {
  expect(claims).toHaveLength(CONTENDERS);
  const winners = claims.filter(({ acquired }) => acquired).map(({ owner }) => owner);
  expect(winners).toHaveLength(1);
  expect(new Set(claims.map(({ named }) => named))).toEqual(new Set(winners));
}

/** Processes that end with the test. */
async function startProcesses(
  suite: ContractSuite,
  count: number,
  contendersEach: number,
): Promise<readonly ContenderProcess[]> {
  const start = async (): Promise<ContenderProcess> => {
    const contenders = await startContenders(suite.childSpec, contendersEach);
    onTestFinished(() => contenders.stop());
    return contenders;
  };
  return Promise.all(Array.from({ length: count }, start));
}
