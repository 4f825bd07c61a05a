import { dirname } from 'node:path';
import type { Backend, BackendSource } from '../lease/backend.js';
import type { Clock } from '../lease/clock.js';
import { type LeaseResolution, leaseTraitsOf, resolveLeaseProvider } from '../lease/detect.js';
import { InvalidConfigError, isLeaseError, type LeaseError, UnsupportedError } from '../lease/errors.js';
import type { BackendIdentity } from '../lease/identity.js';
import { LEASE_METHODS, type LeaseMethod, type LeaseProvider, type LeaseTraits } from '../lease/provider.js';
import { escapeText } from '../lease/text.js';
import { noopLeaseProvider, noopLeaseReporter } from '../providers/noop.js';
import type { CallBudget } from './call-budget.js';
import { closeApplication } from './close-application.js';
import type { ExaminedBackend } from './examined-backend.js';
import type { Foreigner } from './foreign-call.js';
import { GuardedProvider } from './guarded-provider.js';
import { type ChosenInspector, chooseInspector } from './inspection/choose-inspector.js';
import { describeClass } from './inspection/describe-class.js';
import { readSeenLease } from './inspection/seen-lease.js';
import type { LocatedBackend } from './locate.js';
import type { Application } from './module/application.js';
import { describeThrown } from './module/thrown.js';
import type { ConnectionSettings } from './own-provider.js';

/** What looking at an application's backend depends on. */
export interface ApplicationBackendOptions {
  readonly settings: ConnectionSettings;
  readonly budget: CallBudget;
  /** Whether this process stays, and with it what it holds. */
  readonly isKept?: boolean | undefined;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isIntrospected: boolean;
  /** Runs the runtime's fallback on a backend without leases, instead of refusing it. */
  readonly allowsNoop: boolean;
}

/** Mastra's own providers whose leases do not leave the process, or do not outlive it. */
const CONFINED: Readonly<Record<string, NonNullable<BackendIdentity['confinement']>>> = {
  EventEmitterPubSub: 'process',
  UnixSocketPubSub: 'caller',
};

/**
 * Looks at what an application brought, and makes a backend of it where it can lease.
 *
 * @throws `ERR_LEASE_INVALID_CONFIG` when what it brought fails at being looked at.
 */
export async function examineApplication(
  application: Application,
  located: LocatedBackend,
  options: ApplicationBackendOptions,
): Promise<ExaminedBackend> {
  const { backend, file, path } = application;
  const { resolution, subject, traits } = resolveApplication(application);
  const { className, definesLeasesIn } = describeClass(subject);
  const confinement = CONFINED[definesLeasesIn ?? ''] ?? (traits.scope === 'process' ? 'process' : undefined);
  const base: BackendIdentity = {
    className,
    file,
    unwrapping: resolution.via === 'self' ? path : [...path, 'getLeaseProvider()'],
    methods: methodsOf(resolution),
    traits,
    ...(confinement && { confinement }),
    warnings: [],
  };
  const source: BackendSource = {
    backend: file,
    foundBy: located.foundBy,
    provider: className,
    ...(traits.scope && { scope: traits.scope }),
    ...(located.context !== undefined && { context: located.context }),
  };
  const close = () => closeApplication(backend, options.clock);
  if (resolution.kind === 'none') {
    const refusal = noLeasing(className, resolution.missing);
    return options.allowsNoop
      ? { identity: base, backend: noopBackend(source, close), source: () => source, close }
      : { identity: base, refusal, source: () => source, close };
  }
  if (confinement === 'process') {
    return { identity: base, refusal: processLocal(className), source: () => source, close };
  }
  const foreigner: Foreigner = { name: className, budget: options.budget, clock: options.clock };
  const provider = new GuardedProvider(resolution.provider, foreigner, {
    isBoundToCaller: confinement === 'caller' && !options.isKept,
  });
  const { inspect, configPath } = located;
  const chosen = await chooseInspector({ ...options, subject, provider, foreigner, inspect, configPath });
  return withInspector({ identity: base, provider, source, close, chosen });
}

/** Asks it for its provider as the runtime does; whatever it does then is told as its own. */
function resolveApplication({ backend, file, path }: Application): {
  readonly resolution: LeaseResolution;
  readonly subject: unknown;
  readonly traits: LeaseTraits;
} {
  try {
    const resolution = resolveLeaseProvider(backend);
    const subject: unknown = resolution.kind === 'provider' ? resolution.provider : backend;
    return { resolution, subject, traits: leaseTraitsOf(subject) };
  } catch (error) {
    if (isLeaseError(error)) throw error;
    const where = [file, ...path].map(escapeText).join(' → ');
    throw new InvalidConfigError(
      `${where} failed when it was asked for its lease provider: ${describeThrown(error, dirname(file))}`,
    );
  }
}

function withInspector({
  identity,
  provider,
  source,
  close,
  chosen,
}: {
  readonly identity: BackendIdentity;
  readonly provider: LeaseProvider;
  readonly source: BackendSource;
  readonly close: () => Promise<void>;
  readonly chosen: ChosenInspector | undefined;
}): ExaminedBackend {
  const redis = chosen?.redis;
  const readSource = (): BackendSource => ({
    ...source,
    ...(redis && {
      server: redis.name,
      keyPrefix: redis.keyPrefix,
      database: redis.database,
      ...(redis.server && { role: redis.server.role }),
    }),
  });
  const closeAll = async () => {
    await chosen?.close();
    await close();
  };
  const backend: Backend = {
    provider,
    ...(chosen && { inspector: chosen.inspector }),
    ...(chosen?.evidence && { evidence: chosen.evidence }),
    readLease: (key) => readSeenLease(provider, chosen?.redis ?? chosen?.inspector, key),
    source: readSource,
    close: closeAll,
  };
  return {
    identity: {
      ...identity,
      ...(chosen && { inspector: chosen.identity }),
      warnings: chosen?.warnings ?? [],
    },
    backend,
    ...(redis && { readServerFacts: () => redis.readServerFacts() }),
    ...(chosen?.verified && { probe: () => chosen.verified?.probe() }),
    source: readSource,
    close: closeAll,
  };
}

function methodsOf(resolution: LeaseResolution): Record<LeaseMethod, boolean> {
  const missing = resolution.kind === 'none' ? resolution.missing : [];
  const has = (method: LeaseMethod) => !missing.includes(method);
  return {
    acquireLease: has('acquireLease'),
    getLeaseOwner: has('getLeaseOwner'),
    releaseLease: has('releaseLease'),
    renewLease: has('renewLease'),
    transferLease: has('transferLease'),
  };
}

function noLeasing(className: string, missing: readonly LeaseMethod[]): LeaseError {
  const names = missing.join(', ');
  const what = missing.length === LEASE_METHODS.length ? `all five methods (${names})` : names;
  return new UnsupportedError(`${className} cannot lease: it lacks ${what} of LeaseProvider`, {
    remedy: 'the runtime then lets every caller win; --allow-noop does as it does',
  });
}

function processLocal(className: string): LeaseError {
  return new UnsupportedError(
    `The leases of ${className} live inside the application's process: no other process can see them, this one neither`,
    { remedy: 'an application of several processes needs a pubsub that leases across them, such as Redis' },
  );
}

function noopBackend(source: BackendSource, close: () => Promise<void>): Backend {
  return {
    provider: noopLeaseProvider,
    reporter: noopLeaseReporter,
    readLease: async () => undefined,
    source: () => ({ ...source, isNoop: true }),
    close,
  };
}
