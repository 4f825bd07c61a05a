import { serveLeaseProvider } from 'mastra-lease/testing';
import { SqlLeases } from './sql-leases.ts';

await serveLeaseProvider(() => new SqlLeases(process.argv[2]));
