import { startCluster } from '../support/redis-server.js';
import { describeLeaseContract } from './lease-contract.js';
import { redisBackend } from './redis-backend.js';

describeLeaseContract('a Redis Cluster of 3 masters', {
  scope: 'network',
  start: async () => redisBackend(await startCluster(3)),
});
