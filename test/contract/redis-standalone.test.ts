import { startRedis } from '../support/redis-server.js';
import { describeLeaseContract } from './lease-contract.js';
import { redisBackend } from './redis-backend.js';

describeLeaseContract('Redis', {
  scope: 'network',
  start: async () => redisBackend(await startRedis()),
});
