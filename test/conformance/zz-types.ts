import { fork } from 'node:child_process';
import { after, describe, it } from 'node:test';
import { describeLeaseProvider, serveLeaseProvider } from '../../src/conformance/index.js';
describeLeaseProvider('x', () => 1, { runner: { describe, it, afterAll: after }, startProcess: () => fork('x') });
await serveLeaseProvider(() => 1, { channel: process });
