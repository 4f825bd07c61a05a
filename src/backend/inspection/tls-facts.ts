import { Buffer } from 'node:buffer';
import type { RedisTlsOptions } from '../../providers/redis/index.js';
import { asList, asText, read } from './values.js';

/** What TLS options of a client mean for a connection of ours. */
export interface TlsFacts {
  readonly tls: RedisTlsOptions;
  /** What they ask for that our connection cannot do, a few words each. */
  readonly limits: readonly string[];
}

/** Reads options as Node's `tls.connect` takes them; anything else means TLS without any. */
export function readTls(options: unknown): TlsFacts {
  const servername = asText(read(options, 'servername'));
  const authorities = readAuthorities(read(options, 'ca'));
  return {
    tls: {
      ...(servername !== undefined && { servername }),
      ...(authorities?.includes(PEM) && { ca: authorities }),
      ...(read(options, 'rejectUnauthorized') === false && { insecure: true }),
    },
    limits: [
      ...(CLIENT_CERTIFICATE.some((name) => read(options, name)) ? ['a client certificate'] : []),
      ...(typeof read(options, 'checkServerIdentity') === 'function'
        ? ['a certificate check of its own']
        : []),
      ...(authorities !== undefined && !authorities.includes(PEM)
        ? ['a certificate authority that is not PEM']
        : []),
    ],
  };
}

const PEM = '-----BEGIN ';
const CLIENT_CERTIFICATE = ['cert', 'key', 'pfx', 'secureContext'];

function readAuthorities(ca: unknown): string | undefined {
  if (ca === undefined || ca === null) return undefined;
  const list = Array.isArray(ca) ? asList(ca) : [ca];
  return list.map((one) => asText(one instanceof Uint8Array ? Buffer.from(one) : one) ?? '').join('\n');
}
