import { randomUUID } from 'node:crypto';
import type { Runtime } from 'node:inspector';
import type { Session } from 'node:inspector/promises';

/** A field or an internal slot of an object, as a debugger shows it. */
export interface HiddenField {
  /** A `#field` with its `#`, or a slot such as `[[Target]]`. */
  readonly name: string;
  readonly value: unknown;
}

/** What only a debugger sees of an object. */
export interface HiddenView {
  /** Its `#fields`, those of superclasses first; a name may come twice. */
  readonly fields: readonly HiddenField[];
  /** Internal slots: a Proxy's `[[Target]]`, a bound function's `[[BoundThis]]`, a promise's `[[PromiseResult]]`. */
  readonly slots: ReadonlyMap<string, unknown>;
}

/** The slots that are handed over; others are lists that belong to the debugger. */
const SLOTS: readonly string[] = ['[[Target]]', '[[TargetFunction]]', '[[BoundThis]]', '[[PromiseResult]]'];

const NOTHING: HiddenView = { fields: [], slots: new Map() };

/** What V8 answers beside what the protocol's stable part declares. */
interface Properties extends Runtime.GetPropertiesReturnType {
  readonly privateProperties?: readonly { readonly name: string; readonly value?: Runtime.RemoteObject }[];
}

/** Through which objects go to the debugger and come back. */
interface Exchange {
  subject: unknown;
  found: readonly unknown[];
}

/**
 * Node's own debugger, connected to this process from inside: it reads what the language hides. Nothing is paused and
 * no code of the subject runs. A debugger that is attached from outside does not disturb it, nor it that one.
 */
export class SelfDebugger {
  readonly #session: Session;
  readonly #exchange: Exchange;
  readonly #exchangeId: string;

  private constructor(session: Session, exchange: Exchange, exchangeId: string) {
    this.#session = session;
    this.#exchange = exchange;
    this.#exchangeId = exchangeId;
  }

  /** `undefined` where there is none: Node built without it, or not permitted. */
  static async open(): Promise<SelfDebugger | undefined> {
    let session: Session | undefined;
    try {
      const inspector = await import('node:inspector/promises');
      session = new inspector.Session();
      session.connect();
      const exchange: Exchange = { subject: undefined, found: [] };
      const exchangeId = await identify(session, exchange);
      if (exchangeId !== undefined) return new SelfDebugger(session, exchange, exchangeId);
    } catch {
      // Whatever it was: the caller does without.
    }
    session?.disconnect();
    return undefined;
  }

  /** Looks at an object. Shows nothing where the debugger fails. */
  async look(subject: object): Promise<HiddenView> {
    try {
      this.#exchange.subject = subject;
      const own = await this.#properties(this.#exchangeId);
      const subjectId = own.result.find(({ name }) => name === 'subject')?.value?.objectId;
      if (subjectId === undefined) return NOTHING;
      const { privateProperties = [], internalProperties = [] } = await this.#properties(subjectId);
      const slots = internalProperties.filter(({ name }) => SLOTS.includes(name));
      const values = await this.#handOver([...privateProperties, ...slots]);
      return {
        fields: privateProperties.map(({ name }, index) => ({ name, value: values[index] })),
        slots: new Map(slots.map(({ name }, index) => [name, values[privateProperties.length + index]])),
      };
    } catch {
      return NOTHING;
    } finally {
      this.#exchange.subject = undefined;
      this.#exchange.found = [];
    }
  }

  close(): void {
    this.#session.disconnect();
  }

  #properties(objectId: string): Promise<Properties> {
    return this.#session.post('Runtime.getProperties', { objectId, ownProperties: true });
  }

  /** Turns what the debugger knows by its ids into the values themselves. */
  async #handOver(
    seen: readonly { readonly value?: Runtime.RemoteObject | undefined }[],
  ): Promise<readonly unknown[]> {
    await this.#session.post('Runtime.callFunctionOn', {
      objectId: this.#exchangeId,
      functionDeclaration: 'function (...values) { this.found = values; }',
      arguments: seen.map(({ value }) => asArgument(value)),
    });
    return this.#exchange.found;
  }
}

/** A debugger reaches an object by a global only: one that nobody can guess, gone as soon as the object is known. */
async function identify(session: Session, exchange: Exchange): Promise<string | undefined> {
  const name = `mastra-lease:${randomUUID()}`;
  const symbol = Symbol.for(name);
  Object.defineProperty(globalThis, symbol, { value: exchange, configurable: true, enumerable: false });
  try {
    const { result } = await session.post('Runtime.evaluate', {
      expression: `globalThis[Symbol.for(${JSON.stringify(name)})]`,
    });
    return result.objectId;
  } finally {
    Reflect.deleteProperty(globalThis, symbol);
  }
}

/** Accessors have no value here: asking for one would run the subject's code. */
function asArgument(value: Runtime.RemoteObject | undefined): Runtime.CallArgument {
  const { objectId, unserializableValue, value: plain } = value ?? {};
  if (objectId !== undefined) return { objectId };
  if (unserializableValue !== undefined) return { unserializableValue };
  return plain === undefined ? {} : { value: plain };
}
