import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import { generate } from 'selfsigned';

/** A certificate authority made for one test, and a server certificate that it signed; all PEM. */
export interface ThrowawayCertificates {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** `names` are the DNS names and IP addresses for which the server's certificate is good. */
export async function makeCertificates(
  names: readonly string[] = ['localhost', '127.0.0.1'],
): Promise<ThrowawayCertificates> {
  const authority = await generate([{ name: 'commonName', value: `Test CA ${randomUUID()}` }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const server = await generate([{ name: 'commonName', value: names[0] ?? 'nameless' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: names.map((name) => (isIP(name) ? { type: 7, ip: name } : { type: 2, value: name })),
      },
    ],
  });
  return { ca: authority.cert, cert: server.cert, key: server.private };
}
