import { startSentinel } from '../support/redis-server.js';
import { describeLeaseContract } from './lease-contract.js';
import { redisBackend } from './redis-backend.js';

describeLeaseContract('Redis under Sentinel', {
  scope: 'network',
  start: async () => redisBackend(await startSentinel()),
});
