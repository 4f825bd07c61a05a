import { once } from 'node:events';

/** Introspects a provider once it is told to, and says what it found. Runs in plain Node, so it takes what was built. */
const url = new URL('../../../../dist/backend/inspection/introspect.js', import.meta.url).href;
const { introspectProvider }: typeof import('../../../../src/backend/inspection/introspect.js') =
  await import(url);

class Client {
  readonly isOpen = false;
  readonly options = { url: 'redis://127.0.0.1:6380' };
  sendCommand() {}
}

abstract class Leases {
  async acquireLease() {}
  async getLeaseOwner() {}
  async releaseLease() {}
  async renewLease() {}
  async transferLease() {}
}

class Hiding extends Leases {
  readonly #writeClient = new Client();
  readonly #keyPrefix = 'hidden';
  override toString() {
    return `${this.#keyPrefix} ${this.#writeClient.isOpen}`;
  }
}

class Open extends Leases {
  readonly client = new Client();
  readonly keyPrefix = 'open';
}

process.stdout.write('ready\n');
await once(process.stdin, 'data');
const found = await Promise.all([new Hiding(), new Open()].map((provider) => introspectProvider(provider)));
const left = Object.getOwnPropertySymbols(globalThis).filter((symbol) =>
  String(symbol).includes('mastra-lease'),
).length;
process.stdout.write(`${JSON.stringify({ prefixes: found.map((one) => one?.keyPrefix ?? null), left })}\n`);
process.stdin.destroy();
