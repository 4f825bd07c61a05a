// Workers of an application, all in one process: renews leases evenly, so many a second, and hands one of them on now and then with
// the moment of it as the new owner. Arguments: port, leases, changes a second, handovers a second. Until its stdin ends; it
// then prints how many commands it has sent.
import { Redis } from 'ioredis';

const [port = 0, leases = 0, changes = 0, handovers = 0] = process.argv.slice(2).map(Number);
const TICK_MS = 10;
const TTL_MS = 15_000;
const client = new Redis({ port, enableReadyCheck: false, disableClientInfo: true });
let sent = 0;
let next = 1;
let owed = 0;
let owedHandovers = 0;
let lastMs = performance.now();

const timer = setInterval(() => {
  const nowMs = performance.now();
  owed += ((nowMs - lastMs) / 1_000) * changes;
  owedHandovers += ((nowMs - lastMs) / 1_000) * handovers;
  lastMs = nowMs;
  const batch = client.pipeline();
  for (; owed >= 1; owed -= 1) {
    const key = `mastra:topic:lease:user-${next}\0thread-${next}`;
    next = (next % leases) + 1;
    if (owedHandovers >= 1) {
      owedHandovers -= 1;
      // Linux has one monotonic clock for all processes.
      batch.set(key, `sent-${process.hrtime.bigint()}`, 'PX', TTL_MS);
    } else {
      batch.pexpire(key, TTL_MS);
    }
    sent += 1;
  }
  if (batch.length > 0) batch.exec().catch(() => {});
}, TICK_MS);

process.stdin.resume().once('end', () => {
  clearInterval(timer);
  client.disconnect();
  process.stdout.write(`${sent}\n`);
});
