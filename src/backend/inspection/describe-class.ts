import { LEASE_METHODS } from '../../lease/provider.js';
import { isObject, read } from './values.js';

/** What a backend's class is called, and where it has its lease methods from. */
export interface ClassDescription {
  readonly className: string;
  /**
   * The class whose lease methods run, or `own properties` for methods of the object itself. Where they come from
   * several, the most basic: whoever overrides only some of them still has its leases there.
   */
  readonly definesLeasesIn?: string;
}

/** For methods that no class defines. */
const OWN_PROPERTIES = 'own properties';

/** Describes a backend's class, also behind Mastra's proxy, which binds whatever is read through it. */
export function describeClass(backend: unknown): ClassDescription {
  if (!isObject(backend)) return { className: backend === null ? 'null' : typeof backend };
  const className = typeof backend === 'function' ? nameOf(backend) : nameOf(classOf(backend));
  const [home] = leaseHomes(backend).slice(-1);
  if (home === undefined) return { className };
  return {
    className,
    definesLeasesIn: home === backend ? OWN_PROPERTIES : nameOf(read(home, 'constructor')),
  };
}

/** The objects of a prototype chain, most derived first, whose lease methods run when the backend's are called. */
function leaseHomes(backend: object): readonly object[] {
  const chain = prototypeChain(backend);
  const homes = LEASE_METHODS.map((method) => chain.find((object) => hasOwn(object, method)));
  return chain.filter((object) => homes.includes(object));
}

/** Mastra's own classes whose leases live in the process, as a base of which all lease methods are overridden. */
const PROCESS_LOCAL: readonly string[] = ['EventEmitterPubSub', 'UnixSocketPubSub'];

/** Whether one class alone defines lease methods that may reach a server: no subclass changes what a key means. */
export function hasOneLeaseHome(backend: object): boolean {
  const homes = leaseHomes(backend);
  const defining = prototypeChain(backend).filter(
    (object) =>
      LEASE_METHODS.some((method) => hasOwn(object, method)) &&
      !PROCESS_LOCAL.includes(nameOf(read(object, 'constructor'))),
  );
  return homes.length === 1 && defining.length === 1 && defining[0] === homes[0] && homes[0] !== backend;
}

function prototypeChain(backend: object): readonly object[] {
  const chain: object[] = [];
  // A proxy may answer anything, even for ever.
  for (let object: unknown = backend; isObject(object) && chain.length < 100; object = prototypeOf(object)) {
    chain.push(object);
  }
  return chain;
}

function prototypeOf(value: object): unknown {
  try {
    return Reflect.getPrototypeOf(value);
  } catch {
    return undefined;
  }
}

function hasOwn(value: object, name: string): boolean {
  try {
    return Object.hasOwn(value, name);
  } catch {
    return false;
  }
}

function classOf(backend: object): unknown {
  return read(prototypeOf(backend), 'constructor') ?? read(backend, 'constructor');
}

/** A class's name; one that was read through a binding proxy is called `bound …`. */
function nameOf(made: unknown): string {
  const name = typeof made === 'function' ? read(made, 'name') : undefined;
  return typeof name === 'string' && name !== '' ? name.replace(/^(?:bound )+/, '') : 'anonymous';
}
