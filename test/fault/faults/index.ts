import type { Fault } from '../fault.js';
import { ACCESS_FAULTS } from './access.js';
import { CLUSTER_FAULTS } from './cluster.js';
import { EXPIRY_FAULTS } from './expiry.js';
import { NAME_FAULTS } from './names.js';
import { NETWORK_FAULTS } from './network.js';
import { REPLICATION_FAULTS } from './replication.js';
import { SERVER_FAULTS } from './server.js';
import { SQLITE_FAULTS } from './sqlite.js';

/** Every fault of the matrix, in the order of the table. */
export const FAULTS: readonly Fault[] = [
  ...NETWORK_FAULTS,
  ...SERVER_FAULTS,
  ...EXPIRY_FAULTS,
  ...REPLICATION_FAULTS,
  ...CLUSTER_FAULTS,
  ...ACCESS_FAULTS,
  ...NAME_FAULTS,
  ...SQLITE_FAULTS,
];
