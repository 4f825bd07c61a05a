/** A backend in a config file, and how to reach and read it. */
export interface BackendConfig {
  /**
   * `redis://…` and its relatives, `sqlite:PATH`, `local`, a module such as `./src/mastra/pubsub.ts#pubsub`, or
   * `mastra:DIR`. Paths are relative to the config file.
   */
  readonly backend?: string | undefined;
  /** Where to read times left, listings and changes when the backend's own provider cannot show them; as `backend`. */
  readonly inspect?: string | undefined;
  /** Redis: the prefix that the application's pubsub uses. */
  readonly keyPrefix?: string | undefined;
  /** How long a command may take, with its unit: `15s`, `500ms`, `2m`. */
  readonly timeout?: string | undefined;
  /** Refuses every write: a seat belt against mistakes, not an access control. */
  readonly readOnly?: boolean | undefined;
  /** Each write appends a line of JSON to this file, relative to the config file, or is not sent. */
  readonly auditFile?: string | undefined;
  readonly tls?: TlsConfig | undefined;
  /** Redis: who logs in. */
  readonly username?: string | undefined;
  /** Redis: the password, or a function asked at each connect (short-lived tokens). */
  readonly password?: string | (() => string | Promise<string>) | undefined;
  /**
   * Templates of URLs by name, such as `{ run: 'https://logs.example/{run}' }`, which `inspect` shows filled in: `{owner}`,
   * `{run}`, `{thread}`, `{resource}` and `{process}`, each URL-encoded. `run` is where the logs of a run are.
   */
  readonly links?: Readonly<Record<string, string>> | undefined;
}

/** How a server's certificate is checked. */
export interface TlsConfig {
  /** The name to expect in the certificate, as through a tunnel. */
  readonly servername?: string | undefined;
  /** The PEM file of the certificate authorities to trust, relative to the config file. */
  readonly ca?: string | undefined;
  /** Accepts any certificate. */
  readonly insecure?: boolean | undefined;
}

/** A config file: a backend, or several by name. The fields at the top hold for each context that has no own. */
export interface LeaseConfig extends BackendConfig {
  /** Backends by the name that `--context` takes. */
  readonly contexts?: Readonly<Record<string, BackendConfig>> | undefined;
  /** The context to take when none is named. */
  readonly defaultContext?: string | undefined;
}

/**
 * Gives a config file its types; it returns what it is given.
 *
 * @example
 * ```ts
 * // mastra-lease.config.ts
 * import { defineConfig } from 'mastra-lease';
 *
 * export default defineConfig({
 *   contexts: {
 *     staging: { backend: 'redis://staging:6379' },
 *     prod: { backend: 'rediss://cache:6380', keyPrefix: 'mastra:my-app', readOnly: true },
 *   },
 *   defaultContext: 'staging',
 * });
 * ```
 */
export function defineConfig(config: LeaseConfig): LeaseConfig {
  return config;
}
