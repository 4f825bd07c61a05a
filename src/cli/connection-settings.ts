import { readFileSync } from 'node:fs';
import type { LocatedBackend } from '../backend/locate.js';
import type { ConnectionSettings } from '../backend/own-provider.js';
import { printable } from '../output/printable.js';
import type { CliIo } from './io.js';
import { type CommonOptions, parseWritten } from './options.js';
import { UsageError } from './usage-error.js';

const REDIS_FLAGS = {
  keyPrefix: '--key-prefix',
  username: '--username',
  passwordFile: '--password-file',
  tlsServername: '--tls-servername',
  tlsCa: '--tls-ca',
  tlsInsecure: '--tls-insecure',
} as const;

/** How to reach a Redis: each setting by its flag, else its variable, else the config. Files are read now. */
export function readConnectionSettings(
  { env }: CliIo,
  options: CommonOptions,
  { spec, settings: config }: LocatedBackend,
): ConnectionSettings {
  if (spec.kind === 'sqlite' || spec.kind === 'memory') {
    refuseRedisFlags(options, spec.kind === 'sqlite' ? `sqlite:${spec.path}` : 'memory:');
    return {};
  }
  const keyPrefix = options.keyPrefix ?? (env.MASTRA_LEASE_KEY_PREFIX || config.keyPrefix);
  const servername = options.tlsServername ?? config.tls?.servername;
  const caPath = options.tlsCa ?? config.tls?.ca;
  return {
    keyPrefix: keyPrefix === undefined ? undefined : parsePrefix(keyPrefix),
    username: options.username ?? (env.MASTRA_LEASE_USERNAME || config.username),
    password:
      options.passwordFile === undefined
        ? env.MASTRA_LEASE_PASSWORD || config.password
        : readOptionFile(options.passwordFile, '--password-file').replace(/\r?\n$/, ''),
    tls: {
      ...(servername !== undefined && { servername }),
      ...(caPath !== undefined && {
        ca: readOptionFile(caPath, options.tlsCa === undefined ? 'tls.ca of the config' : '--tls-ca'),
      }),
      ...((options.tlsInsecure ?? config.tls?.insecure) && { insecure: true }),
    },
  };
}

/** What a flag asks for must mean something; a variable or a config may be meant for other backends. */
function refuseRedisFlags(options: CommonOptions, backend: string): void {
  for (const [name, flag] of Object.entries(REDIS_FLAGS)) {
    if (options[name as keyof typeof REDIS_FLAGS] !== undefined) {
      throw new UsageError(`${flag} is for Redis, and the backend is ${printable(backend)}`);
    }
  }
}

function parsePrefix(written: string): string {
  const prefix = parseWritten(written, '--key-prefix');
  if (prefix === '') throw new UsageError('Expected a prefix after --key-prefix, got an empty one');
  return prefix;
}

function readOptionFile(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new UsageError(`Expected a readable file after ${name}, got ${printable(path)} (${reason})`);
  }
}
