import type { RedisOptions } from 'ioredis';
import { InvalidConfigError } from '../../lease/errors.js';
import type { Login } from './login.js';
import type { RedisAddress } from './target.js';

/** TLS settings. Without any, the system's certificate authorities and the host's own name decide. */
export interface RedisTlsOptions {
  /** The name to expect in the certificate, where it is not the host connected to (a tunnel). */
  readonly servername?: string;
  /** PEM text of the certificate authorities to trust. */
  readonly ca?: string;
  /** Accepts any certificate: the connection is encrypted, and nobody knows with whom. */
  readonly insecure?: boolean;
}

/** How to connect, whatever the address. */
export interface ConnectSettings {
  /** Absent: no TLS. */
  readonly tls?: RedisTlsOptions | undefined;
  readonly login: Login;
  /** Closes the connection, also while it is being made. */
  readonly signal: AbortSignal;
}

/** Nothing on the wire but what is asked for, and nothing ever sent twice. */
export function leanOptions(address: RedisAddress, tls: RedisTlsOptions | undefined) {
  return {
    ...address,
    ...(tls && { tls: tlsOptions(tls) }),
    protocol: 2,
    lazyConnect: true,
    // Deadlines are ours, and so is the end of a socket.
    connectTimeout: 0,
    disconnectTimeout: 0,
    enableReadyCheck: false,
    disableClientInfo: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (): number | null => null,
  } satisfies RedisOptions;
}

/** @throws `ERR_LEASE_INVALID_CONFIG` for settings that would be left out silently. */
export function assertTlsOptions(options: RedisTlsOptions, isTls: boolean): void {
  if (!isTls && Object.values(options).some((value) => value !== undefined)) {
    throw new InvalidConfigError('TLS settings need a URL that asks for TLS', {
      remedy: 'rediss:// instead of redis://',
    });
  }
  if (options.ca !== undefined && !options.ca.includes('-----BEGIN ')) {
    throw new InvalidConfigError(
      'Expected the certificate authorities (tls.ca) as PEM text: -----BEGIN CERTIFICATE-----',
    );
  }
}

function tlsOptions({ servername, ca, insecure }: RedisTlsOptions): NonNullable<RedisOptions['tls']> {
  return {
    ...(servername !== undefined && { servername }),
    ...(ca !== undefined && { ca }),
    ...(insecure && { rejectUnauthorized: false }),
  };
}
