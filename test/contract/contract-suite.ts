import { onTestFinished } from 'vitest';
import type { LeaseInspector, LeaseReporter, LeaseWatcher } from '../../src/lease/inspector.js';
import type { LeaseProvider, LeaseScope } from '../../src/lease/provider.js';
import type { ChildSpec } from './contender-protocol.js';

/** What every provider of ours is. */
export type ContractProvider = LeaseProvider &
  LeaseInspector &
  LeaseWatcher &
  LeaseReporter & { close(): Promise<void> };

/** A backend that is running, as the contract's tests need it. */
export interface ContractBackend {
  /** A new provider; all of them see the same leases, unless the scope is `process`. */
  open(): ContractProvider;
  /** The same in real time, where `passTime` is not. */
  openInRealTime?(): ContractProvider;
  /** How another process opens a provider that sees the same leases; absent only where the scope is `process`. */
  readonly spec?: ChildSpec;
  /** Lets time pass: the backend's, which may be a fake. Resolves when at least `ms` have. */
  passTime(ms: number): Promise<void>;
  /** The time that `passTime` moves, in milliseconds. */
  nowMs(): number;
  stop(): Promise<void>;
}

/** How a backend is started, and what its tests depend on before it is. */
export interface ContractHarness {
  readonly scope: LeaseScope;
  start(): Promise<ContractBackend>;
}

/** What the tests of the contract work with. */
export class ContractSuite {
  readonly scope: LeaseScope;
  readonly #harness: ContractHarness;
  #backend: ContractBackend | undefined;
  #keys = 0;

  constructor(harness: ContractHarness) {
    this.scope = harness.scope;
    this.#harness = harness;
  }

  async start(): Promise<void> {
    this.#backend = await this.#harness.start();
  }

  async stop(): Promise<void> {
    await this.#backend?.stop();
  }

  get backend(): ContractBackend {
    if (!this.#backend) throw new Error('The backend is not running');
    return this.#backend;
  }

  get childSpec(): ChildSpec {
    const { spec } = this.backend;
    if (!spec) throw new Error('The backend cannot be shared with other processes');
    return spec;
  }

  /** A provider that is closed when the test ends. */
  open(): ContractProvider {
    const provider = this.backend.open();
    onTestFinished(() => provider.close());
    return provider;
  }

  /** So many callers of the same leases: each with a provider of its own where the scope allows it. */
  openSeveral(count: number): readonly ContractProvider[] {
    if (this.scope !== 'process') return Array.from({ length: count }, () => this.open());
    return new Array<ContractProvider>(count).fill(this.open());
  }

  /** A key that no other test uses. */
  freshKey(): string {
    this.#keys += 1;
    return `contract ${this.#keys}`;
  }
}

/** What every item yielded, once it is over. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
