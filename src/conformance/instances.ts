import { systemClock } from '../lease/clock.js';
import { Deadline, withinDeadline } from '../lease/deadline.js';
import { isLeaseProvider } from '../lease/detect.js';
import { InvalidConfigError, isLeaseError } from '../lease/errors.js';
import { withoutUserInfo } from '../lease/redact.js';
import { isObject, reasonOf } from './call.js';
import { type Endpoint, localEndpoint, type PlaceSetting } from './endpoint.js';
import type { ProviderFactory } from './options.js';
import type { ClosableInstance } from './setting.js';

/** How long instances may take to close, in milliseconds. */
const CLOSE_MS = 2_000;

/** One instance of the provider under test. */
interface Instance {
  /** What the factory made. */
  readonly made: unknown;
  /** What it stands for, whether or not that has all methods. */
  readonly candidate: unknown;
  /** Absent where methods are missing. */
  readonly endpoint: Endpoint | undefined;
}

/** The instances of this process, made by the factory one at a time and closed together. */
export class Instances {
  readonly #factory: ProviderFactory;
  readonly #setting: PlaceSetting;
  readonly #instances: Instance[] = [];
  readonly #closed = new Set<Instance>();

  constructor(factory: ProviderFactory, setting: PlaceSetting) {
    this.#factory = factory;
    this.#setting = setting;
  }

  /**
   * Makes an instance, or answers the one that the factory answers again and again.
   *
   * @throws `ERR_LEASE_INVALID_CONFIG` when the factory throws
   */
  async open(): Promise<Instance> {
    const made = await this.#make();
    const known = this.#instances.find((instance) => instance.made === made);
    if (known) return known;
    const candidate = candidateOf(made);
    const endpoint = isLeaseProvider(candidate)
      ? localEndpoint(`instance ${this.#instances.length + 1}`, candidate, this.#setting)
      : undefined;
    const instance = { made, candidate, endpoint };
    this.#instances.push(instance);
    return instance;
  }

  /** An instance that its user may close: one of its own, or the only one where `isLast` says that nobody needs it more. */
  async openClosable(isLast: boolean): Promise<ClosableInstance | undefined> {
    const before = this.#instances.length;
    const instance = await this.open();
    const isShared = this.#instances.length === before;
    const { endpoint, made } = instance;
    if (!endpoint || (isShared && !isLast)) return undefined;
    const close = closeOf(made);
    return {
      endpoint,
      isShared,
      close:
        close &&
        (async () => {
          this.#closed.add(instance);
          await close();
        }),
    };
  }

  /** Closes what can be closed. Whatever that does, the run is over. */
  async close(): Promise<void> {
    const open = this.#instances.filter((instance) => !this.#closed.has(instance));
    const deadline = Deadline.after(CLOSE_MS, systemClock);
    await Promise.allSettled(
      open.map(({ made }) =>
        withinDeadline(
          (async () => closeOf(made)?.())(),
          deadline,
          () => new Error('It did not close in time'),
        ),
      ),
    );
  }

  async #make(): Promise<unknown> {
    try {
      return await this.#factory();
    } catch (error) {
      if (isLeaseError(error)) throw error;
      throw new InvalidConfigError(`The provider could not be made: ${withoutUserInfo(reasonOf(error))}`);
    }
  }
}

/** As the runtime does: the result of a `getLeaseProvider()` decides where there is one. */
function candidateOf(made: unknown): unknown {
  return isObject(made) && typeof made.getLeaseProvider === 'function' ? made.getLeaseProvider() : made;
}

function closeOf(made: unknown): (() => Promise<void>) | undefined {
  if (!isObject(made) || typeof made.close !== 'function') return undefined;
  const { close } = made;
  return async () => {
    await Reflect.apply(close, made, []);
  };
}
