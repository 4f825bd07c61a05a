// The same with the package `redis`. Arguments: URL, key, and a CA file for TLS.
import { readFileSync } from 'node:fs';
import { createClient } from 'redis';

const [, , url = '', key = '', ca] = process.argv;
const client = createClient({
  url,
  ...(ca && { socket: { tls: true, ca: readFileSync(ca), servername: 'localhost' } }),
});
await client.connect();
process.stdout.write(`${await client.get(key)}\n`);
client.destroy();
