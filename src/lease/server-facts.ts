/** A fact that a server may refuse to tell. */
export type Told<T> = T | 'refused';

/** What a Redis or Valkey server tells of itself; only reading. */
export interface ServerFacts {
  readonly version?: string;
  readonly role: 'primary' | 'replica' | 'unverified';
  readonly mode?: string;
  /** `maxmemory-policy`: one that evicts can end a lease early. */
  readonly evictionPolicy: Told<string>;
  /** `maxmemory` in bytes, 0 for no limit. */
  readonly maxMemoryBytes: Told<number>;
  /** The random id of this run of the server: the same through a tunnel and from a pod. */
  readonly runId: Told<string>;
  /** Whether changes can be pushed (client tracking). */
  readonly isTrackingPermitted: boolean;
}
