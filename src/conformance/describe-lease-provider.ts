import type { Clause } from './clause.js';
import { ConformanceRun, clausesOf } from './conformance-run.js';
import type { ConformanceOptions, ProviderFactory } from './options.js';
import type { ClauseReport } from './report.js';

/** What a test runner offers: vitest, jest, mocha and `node:test` all do. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, test: (context?: unknown) => Promise<void>, timeoutMs?: number) => unknown;
  /** Without it what was opened is closed by a test of its own, the last one. */
  readonly afterAll?: ((body: () => Promise<void>) => unknown) | undefined;
}

/** Options of {@link describeLeaseProvider}. */
export interface DescribeOptions extends ConformanceOptions {
  /** The test runner; by default the global `describe`, `it` and `afterAll` or `after`. */
  readonly runner?: TestRunner | undefined;
}

/** How long one clause may take, in milliseconds, in runners that want to know. */
const TEST_TIMEOUT_MS = 60_000;

/**
 * Declares one test for each clause of the contract. A clause that is violated fails its test with the calls that show
 * it; one that cannot be tried is skipped where the runner knows how to.
 *
 * @example
 * ```ts
 * import { after, describe, it } from 'node:test';
 * import { RedisLeaseProvider } from 'mastra-lease/redis';
 * import { describeLeaseProvider } from 'mastra-lease/testing';
 *
 * const open = () => new RedisLeaseProvider({ url: 'redis://127.0.0.1:6379' });
 * describeLeaseProvider('my leases', open, { runner: { describe, it, afterAll: after }, level: 'structural' });
 * ```
 */
export function describeLeaseProvider(
  name: string,
  factory: ProviderFactory,
  options: DescribeOptions = {},
): void {
  const { describe, it, afterAll } = options.runner ?? globalRunner();
  describe(`${name} keeps the lease contract`, () => {
    let opening: Promise<ConformanceRun> | undefined;
    const opened = () => {
      opening ??= openRun(factory, options);
      return opening;
    };
    const close = async () => {
      if (!opening) return;
      const run = await opening.catch(() => undefined);
      await run?.close();
    };
    for (const clause of clausesOf(options.level ?? 'linearizable', options.clauses).filter((each) =>
      applies(each, options),
    )) {
      it(
        `${clause.id}: ${clause.sentence}`,
        async (context) => settle(await (await opened()).decide(clause), context),
        TEST_TIMEOUT_MS,
      );
    }
    if (afterAll) afterAll(close);
    else it('releases what it held and closes what it opened', close, TEST_TIMEOUT_MS);
  });
}

async function openRun(factory: ProviderFactory, options: DescribeOptions): Promise<ConformanceRun> {
  const run = new ConformanceRun(factory, options);
  try {
    await run.open();
    return run;
  } catch (error) {
    await run.close();
    throw error;
  }
}

/** What is known not to apply before anything ran is no test. */
function applies({ needs }: Clause, { scope, startProcess }: DescribeOptions): boolean {
  if (needs === undefined) return true;
  return scope !== 'process' && (needs !== 'processes' || startProcess !== undefined);
}

function settle({ id, result, note, evidence }: ClauseReport, context: unknown): void {
  if (result === 'skipped') skip(context, note);
  if (result !== 'failed') return;
  const lines = [
    `${id}: ${note ?? 'violated'}`,
    `expected ${evidence?.expected}`,
    ...(evidence?.timeLine ?? []),
  ];
  throw new Error(lines.join('\n  '));
}

/** Vitest and `node:test` hand a context with `skip` to each test. */
function skip(context: unknown, note: string | undefined): void {
  if (
    typeof context === 'object' &&
    context !== null &&
    'skip' in context &&
    typeof context.skip === 'function'
  ) {
    context.skip(note);
  }
}

function globalRunner(): TestRunner {
  const found: Record<string, unknown> = {};
  for (const name of ['describe', 'it', 'afterAll', 'after']) found[name] = Reflect.get(globalThis, name);
  const { describe, it, afterAll = found.after } = found;
  if (!isFunction(describe) || !isFunction(it)) {
    throw new TypeError(
      'Expected a test runner: pass { runner: { describe, it } }, or make its describe and it global',
    );
  }
  return { describe, it, ...(isFunction(afterAll) && { afterAll }) };
}

function isFunction(value: unknown): value is (...args: unknown[]) => unknown {
  return typeof value === 'function';
}
