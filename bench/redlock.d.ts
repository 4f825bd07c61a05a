declare module 'redlock' {
  import type { Redis } from 'ioredis';

  export class Lock {
    release(): Promise<unknown>;
    extend(durationMs: number): Promise<Lock>;
  }

  export default class Redlock {
    constructor(clients: Iterable<Redis>, settings: { readonly retryCount: number });
    acquire(resources: string[], durationMs: number): Promise<Lock>;
  }
}
