import { columns } from './columns.js';

/** The names of backends, and where their leases live. */
export const BACKEND_FORMS: readonly (readonly [string, string])[] = [
  ['redis://HOST:6379/0', 'Redis or Valkey (valkey://); of a cluster, any of its nodes; with TLS rediss://'],
  ['redis+cluster://H1,H2', 'Redis Cluster, by several of its nodes'],
  ['redis+sentinel://H1,H2/NAME', 'the primary that Sentinels know by that name'],
  ['redis+unix:///PATH?db=0', 'Redis by its Unix socket'],
  ['sqlite:PATH', 'an SQLite file, for the processes of one host'],
  ['local', 'the embedded default: an SQLite file in your state directory'],
  ['./MODULE.ts#EXPORT', 'what a module exports: a provider, a pubsub, a Mastra, or what makes one'],
  ['mastra:DIR', 'the pubsub of the Mastra project in DIR'],
  ['memory:', 'this process alone: for exec, --keep and tests'],
];

/** How a backend is found, first match first. */
const BACKEND_ORDER: readonly string[] = [
  '--backend, or --context: a backend of the config by its name',
  'MASTRA_LEASE_BACKEND, or MASTRA_LEASE_CONTEXT',
  'the default of a config: mastra-lease.config.{ts,mts,js,mjs,json} of the project, then your own',
  'the Mastra project that the working directory is in',
  'REDIS_URL, then VALKEY_URL',
  'the embedded default: never where CI is set, and a read never creates it',
];

/** How a backend is named, and how it is found. */
export const BACKEND_TOPIC = `Backends

${columns(BACKEND_FORMS)}

Found in this order, first match wins; mastra-lease check tells which was found,
and by which step:

${columns(BACKEND_ORDER.map((step, index) => [`${index + 1}.`, step]))}

A backend named by a URL runs nothing and reads no file of the directory. The
password belongs in MASTRA_LEASE_PASSWORD or --password-file: a command line can
be seen by others of the host. Where the application sets a key prefix, name it
too: --key-prefix or MASTRA_LEASE_KEY_PREFIX.
`;
