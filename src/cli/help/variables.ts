/** The environment variables, and what each stands for. The one table: help, docs and tests read it. */
export const VARIABLES = {
  MASTRA_LEASE_BACKEND: '--backend',
  MASTRA_LEASE_CONTEXT: '--context',
  MASTRA_LEASE_KEY_PREFIX: '--key-prefix',
  MASTRA_LEASE_USERNAME: '--username',
  MASTRA_LEASE_PASSWORD: 'the password itself; --password-file names a file that holds it',
  MASTRA_LEASE_OWNER: '--owner of acquire, renew, release and exec',
  MASTRA_LEASE_AUDIT_FILE: '--audit-file',
  MASTRA_AGENT_THREAD_LEASE_TTL_MS:
    "--ttl, and the lease time from which health is inferred, in milliseconds; the runtime's own variable",
  MASTRA_AGENT_THREAD_LEASE_RENEW_INTERVAL_MS:
    "how often the runtime renews, in milliseconds; the runtime's own variable (default a third of the lease time)",
  REDIS_URL: 'the backend, when nothing else names one',
  VALKEY_URL: 'the backend, when nothing else names one, REDIS_URL neither',
  CI: 'set: the embedded default is never implied',
  NO_COLOR: 'set: no colour, as --no-color',
  FORCE_COLOR: 'set, and not 0: colour off a terminal too',
  XDG_STATE_HOME: 'where the embedded default lives; else ~/.local/state',
  XDG_CONFIG_HOME: "where the user's own config lives; else ~/.config",
} as const;

/** The name of an environment variable that means something here. */
export type VariableName = keyof typeof VARIABLES;
