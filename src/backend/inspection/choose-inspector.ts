import { isLeaseInspector, isThreadEvidence } from '../../lease/detect.js';
import { InvalidConfigError } from '../../lease/errors.js';
import type { ThreadEvidence } from '../../lease/evidence.js';
import type { InspectorIdentity } from '../../lease/identity.js';
import type { LeaseInspector } from '../../lease/inspector.js';
import type { LeaseProvider } from '../../lease/provider.js';
import type { RedisLeaseProvider } from '../../providers/redis/index.js';
import type { CallBudget } from '../call-budget.js';
import { place } from '../config/place.js';
import type { Foreigner } from '../foreign-call.js';
import { type ConnectionSettings, openRedis, openSqlite } from '../own-provider.js';
import type { BackendSpec } from '../url.js';
import { GuardedEvidence } from './guarded-evidence.js';
import { GuardedInspector } from './guarded-inspector.js';
import { VerifiedEvidence } from './verified-evidence.js';
import { VerifiedInspector } from './verified-inspector.js';

/** What can look at an application's leases beside its provider, and how it was found. */
export interface ChosenInspector {
  readonly identity: InspectorIdentity;
  readonly inspector: LeaseInspector;
  /** Ours, where the leases are in a Redis: it tells role, database and prefix. */
  readonly redis?: RedisLeaseProvider;
  /** What reads the events of the application's threads, where they are in that Redis. */
  readonly evidence?: ThreadEvidence;
  /** Present where it has to be believed only as far as the provider agrees. */
  readonly verified?: VerifiedInspector;
  /** What an operator should know, one line each. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

/** What the choice depends on. */
export interface InspectorOptions {
  /** The application's provider as it is, for what it keeps to itself. */
  readonly subject: unknown;
  /** The same, guarded, to be compared with. */
  readonly provider: LeaseProvider;
  /** How it is called. */
  readonly foreigner: Foreigner;
  /** What `inspect` of the config names, and that config. */
  readonly inspect?: BackendSpec | undefined;
  readonly configPath?: string | undefined;
  readonly settings: ConnectionSettings;
  readonly isIntrospected: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly budget: CallBudget;
  readonly isKept?: boolean | undefined;
}

/**
 * Finds what can list an application's leases: the provider itself, `inspect` of the config, what the provider's own
 * fields say, `REDIS_URL`. The first that there is. Whatever is not the provider itself is verified before it is believed.
 *
 * @throws `ERR_LEASE_INVALID_CONFIG` when `inspect` names what cannot be listed.
 */
export async function chooseInspector(options: InspectorOptions): Promise<ChosenInspector | undefined> {
  const { subject, foreigner } = options;
  if (isLeaseInspector(subject)) return ownInspector(subject, foreigner);
  if (options.inspect) return configuredInspector(options.inspect, options);
  if (options.isIntrospected) {
    const found = (await heldInspector(options)) ?? (await introspectedInspector(options));
    if (found) return found;
  }
  for (const name of ['REDIS_URL', 'VALKEY_URL'] as const) {
    const url = options.env[name];
    if (url) return redisInspector(await openRedis(url, options.settings, options), options, { how: name });
  }
  return undefined;
}

function ownInspector(subject: LeaseInspector, foreigner: Foreigner): ChosenInspector {
  return {
    identity: { name: 'the provider itself', how: 'own', isTrusted: true },
    inspector: new GuardedInspector(subject, foreigner),
    ...(isThreadEvidence(subject) && { evidence: new GuardedEvidence(subject, foreigner) }),
    warnings: [],
    close: async () => {},
  };
}

async function configuredInspector(spec: BackendSpec, options: InspectorOptions): Promise<ChosenInspector> {
  const how = 'config inspect';
  switch (spec.kind) {
    case 'redis':
      return redisInspector(await openRedis(spec.url, options.settings, options), options, { how });
    case 'sqlite': {
      const name = `sqlite:${spec.path}`;
      const inspector = await openSqlite(spec.path, { ...options, access: 'read' });
      const { provider } = options;
      const verified = new VerifiedInspector({ inspector, provider, label: name, isTrusted: false });
      return { ...verifiedBy(verified, { name, how, isTrusted: false }), close: () => inspector.close() };
    }
    default:
      throw new InvalidConfigError(
        `${place(options.configPath ?? 'the config', ['inspect'])}: expected a redis:// URL or sqlite:PATH, got a backend that cannot be listed`,
      );
  }
}

/** A pubsub that hands its calls on to a provider of this library has that provider's own inspector. */
async function heldInspector({
  subject,
  provider,
  foreigner,
}: InspectorOptions): Promise<ChosenInspector | undefined> {
  const { findHeldInspector } = await import('./held-inspector.js');
  const held = await findHeldInspector(subject);
  if (!held) return undefined;
  const { keyPrefix, name = 'an inspector that it holds' } = held;
  const inspector = new GuardedInspector(held.inspector, foreigner);
  const verified = new VerifiedInspector({ inspector, provider, label: name, keyPrefix, isTrusted: false });
  const chosen = verifiedBy(verified, { name, how: 'introspection', isTrusted: false });
  if (!isThreadEvidence(held.inspector)) return chosen;
  const evidence = new GuardedEvidence(held.inspector, foreigner);
  return { ...chosen, evidence: new VerifiedEvidence({ evidence, inspector, name, provider, verified }) };
}

async function introspectedInspector(options: InspectorOptions): Promise<ChosenInspector | undefined> {
  const { introspectProvider } = await import('./introspect.js');
  const found = await introspectProvider(options.subject);
  if (!found) return undefined;
  const { connection, isDefaultAddress } = found;
  const { url, password, tls } = connection.toOptions();
  // What the user says goes first, and has then to prove itself where the provider says something else.
  const keyPrefix = options.settings.keyPrefix ?? found.keyPrefix;
  const isTrusted = found.isTrusted && keyPrefix === found.keyPrefix;
  const settings = { keyPrefix, password, tls };
  const warnings = [
    ...(isDefaultAddress
      ? [
          'its Redis client talks to localhost: was it built without a URL (an unset REDIS_URL does that silently)?',
        ]
      : []),
    ...connection.limits.map((limit) => `its connection has ${limit}, which the listing's has not`),
  ];
  const opened = await openRedis(url, settings, options);
  return redisInspector(opened, options, { how: 'introspection', isTrusted, warnings });
}

interface Found {
  readonly how: InspectorIdentity['how'];
  readonly isTrusted?: boolean;
  readonly warnings?: readonly string[];
}

function redisInspector(
  redis: RedisLeaseProvider,
  { provider }: InspectorOptions,
  { how, isTrusted = false, warnings = [] }: Found,
): ChosenInspector {
  const { name, keyPrefix } = redis;
  const verified = new VerifiedInspector({ inspector: redis, provider, label: name, keyPrefix, isTrusted });
  return {
    ...verifiedBy(verified, { name: `${name} · ${keyPrefix}`, how, isTrusted }),
    redis,
    evidence: new VerifiedEvidence({ evidence: redis, inspector: redis, name, provider, verified }),
    warnings,
    close: () => redis.close(),
  };
}

function verifiedBy(verified: VerifiedInspector, identity: InspectorIdentity): ChosenInspector {
  return { identity, inspector: verified, verified, warnings: [], close: async () => {} };
}
