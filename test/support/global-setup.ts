import type { TestProject } from 'vitest/node';
import { findOrInstallRedisServer } from './redis-binary.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of the server program that the tests start. */
    redisServerPath: string;
  }
}

/** Runs once, before any worker: the tests start real servers and none is skipped for want of one. */
export async function setup(project: TestProject): Promise<void> {
  project.provide('redisServerPath', await findOrInstallRedisServer());
}
