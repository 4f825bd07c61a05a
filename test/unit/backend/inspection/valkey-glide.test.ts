import { EventEmitterPubSub } from '@mastra/core/events';
import { expect, test } from 'vitest';
import { introspectProvider } from '../../../../src/backend/inspection/introspect.js';

interface Options {
  readonly url?: string;
  readonly addresses?: readonly { readonly host: string; readonly port?: number }[];
  readonly credentials?: { readonly username?: string; readonly password: string };
  readonly databaseId?: number;
  readonly useTLS?: boolean;
  readonly advancedConfiguration?: unknown;
}

/** The fields of the client that Mastra's `ValkeyStreamsPubSub` keeps. */
class StreamsClient {
  #client: unknown;
  protected readonly options: Options;

  constructor(options: Options) {
    this.options = options;
  }

  get isOpen() {
    return this.#client !== undefined;
  }

  async command() {}
}

class ValkeyPubSub extends EventEmitterPubSub {
  readonly #writeClient: StreamsClient;
  readonly #keyPrefix = 'mastra:topic';

  constructor(options: Options) {
    super();
    this.#writeClient = new StreamsClient(options);
  }

  override async getLeaseOwner() {
    return `${this.#keyPrefix} ${this.#writeClient.isOpen}`;
  }
}

test.each<[Options, string]>([
  [{ url: 'valkey://localhost:6379' }, 'redis://localhost:6379/0'],
  [{ url: 'valkey://app:p%40ss@cache:6380/2' }, 'redis://app:p%2540ss@cache:6380/2'],
  [
    {
      url: 'valkey://ignored:1',
      addresses: [{ host: 'cache' }],
      credentials: { password: 'p@' },
      databaseId: 3,
    },
    'redis://:p%40@cache:6379/3',
  ],
  [{ url: 'valkey://cache:6380', useTLS: true }, 'rediss://cache:6380/0'],
])('a client of Valkey GLIDE is read as it connects: %#', async (options, url) => {
  const found = await introspectProvider(new ValkeyPubSub(options));
  expect(found).toMatchObject({ client: 'valkey-glide', keyPrefix: 'mastra:topic' });
  expect(found?.connection.toOptions().url).toBe(url);
});

test('its TLS settings become ours', async () => {
  const rootCertificates = Buffer.from('-----BEGIN CERTIFICATE-----\n');
  const advancedConfiguration = { tlsAdvancedConfiguration: { insecure: true, rootCertificates } };
  const found = await introspectProvider(
    new ValkeyPubSub({ url: 'valkey://c:1', useTLS: true, advancedConfiguration }),
  );
  expect(found?.connection.toOptions().tls).toEqual({ insecure: true, ca: '-----BEGIN CERTIFICATE-----\n' });
});
