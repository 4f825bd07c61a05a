import type { Backend, BackendSource } from '../lease/backend.js';
import type { Clock } from '../lease/clock.js';
import { UnsupportedError } from '../lease/errors.js';
import type { ThreadEvidence } from '../lease/evidence.js';
import type { LeaseScope } from '../lease/provider.js';
import type { CallBudget } from './call-budget.js';
import type { ExaminedBackend } from './examined-backend.js';
import type { Access, LocatedBackend } from './locate.js';
import type { ApplicationHost } from './module/load-module.js';
import { type ConnectionSettings, type OwnProvider, openRedis, openSqlite } from './own-provider.js';

/** What opening depends on. */
export interface OpenOptions {
  readonly access: Access;
  readonly budget: CallBudget;
  /** Whether the backend stays open: whoever holds a lease needs a connection that stays, and may hold one in memory. */
  readonly isKept?: boolean | undefined;
  /** Whether a file of leases has to be there already. */
  readonly needsFile?: boolean | undefined;
  readonly clock: Clock;
  readonly settings: ConnectionSettings;
  /** Where an application is loaded into, and how long that may take in milliseconds. */
  readonly host: ApplicationHost;
  readonly loadMs: number;
  /** An absolute path: variables for the application instead of its project's files. */
  readonly envFile?: string | undefined;
  readonly isIntrospected: boolean;
  readonly allowsNoop: boolean;
}

/** Opens a backend that was found.
 *
 * @throws `ERR_LEASE_UNSUPPORTED` when it cannot lease, or not across processes.
 */
export async function openBackend(
  located: LocatedBackend,
  options: OpenOptions,
): Promise<ExaminedBackend & { backend: Backend }> {
  const examined = await examineBackend(located, options);
  const { backend, refusal } = examined;
  if (backend) return { ...examined, backend };
  await examined.close();
  throw refusal ?? new UnsupportedError('This backend cannot lease');
}

/** Looks at a backend that was found. Nothing is connected before the first call; only what is needed is loaded. */
export async function examineBackend(
  located: LocatedBackend,
  options: OpenOptions,
): Promise<ExaminedBackend> {
  const { spec, foundBy, context } = located;
  const base = { foundBy, ...(context !== undefined && { context }) };
  switch (spec.kind) {
    case 'redis': {
      const redis = await openRedis(spec.url, options.settings, options);
      const { name, database, keyPrefix } = redis;
      const source = (): BackendSource => ({
        ...base,
        backend: name,
        scope: 'network',
        keyPrefix,
        database,
        ...(redis.server && { role: redis.server.role }),
      });
      return {
        ...own(redis, 'RedisLeaseProvider', 'network', source, redis),
        readServerFacts: () => redis.readServerFacts(),
      };
    }
    case 'sqlite': {
      const sqlite = await openSqlite(spec.path, options);
      const source: BackendSource = { ...base, backend: `sqlite:${spec.path}`, scope: 'host' };
      return own(sqlite, 'SqliteLeaseProvider', 'host', () => source);
    }
    case 'memory': {
      const source: BackendSource = { ...base, backend: 'memory:', scope: 'process' };
      if (options.isKept) {
        const { MemoryLeaseProvider } = await import('../providers/memory.js');
        return own(new MemoryLeaseProvider(), 'MemoryLeaseProvider', 'process', () => source);
      }
      return {
        identity: {
          ...OWN_IDENTITY,
          className: 'MemoryLeaseProvider',
          traits: { scope: 'process' },
          confinement: 'process',
        },
        refusal: new UnsupportedError(
          'Leases of memory: live inside one process and would end with this command',
          {
            remedy: 'name a backend that others can see, such as redis:// or local',
          },
        ),
        source: () => source,
        close: async () => {},
      };
    }
    case 'module':
    case 'mastra': {
      const { loadApplication } = await import('./module/application.js');
      const { examineApplication } = await import('./application-backend.js');
      const { host, loadMs: deadlineMs, envFile } = options;
      const application = await loadApplication(spec, host, { envFile, deadlineMs });
      return examineApplication(application, located, { ...options, env: host.env });
    }
  }
}

const OWN_IDENTITY = {
  unwrapping: [],
  methods: {
    acquireLease: true,
    getLeaseOwner: true,
    releaseLease: true,
    renewLease: true,
    transferLease: true,
  },
  warnings: [],
} as const;

function own(
  provider: OwnProvider,
  className: string,
  scope: LeaseScope,
  source: () => BackendSource,
  evidence?: ThreadEvidence,
): ExaminedBackend {
  const close = () => provider.close();
  return {
    identity: {
      ...OWN_IDENTITY,
      className,
      traits: { atomicTransfer: true, scope },
      inspector: { name: 'the provider itself', how: 'own', isTrusted: true },
    },
    backend: {
      provider,
      reporter: provider,
      inspector: provider,
      ...(evidence && { evidence }),
      readLease: (key) => provider.readLease(key),
      source,
      close,
    },
    source,
    close,
  };
}
