/** One step of the search for a backend: taken, or passed over and why. */
export interface SearchStep {
  readonly step: string;
  readonly taken: boolean;
  readonly why: string;
}

/** The lease settings that Mastra's runtime would use in this environment. */
export interface RuntimeSettings {
  readonly ttlMs: number;
  readonly renewIntervalMs: number;
  readonly isFromEnvironment: boolean;
}

/** How a backend came to be looked at. */
export interface CheckSetting {
  readonly steps: readonly SearchStep[];
  readonly runtime: RuntimeSettings;
  /** The config that had a say. */
  readonly configPath?: string | undefined;
}

/** A context of a config, as it is listed. Holds no secret. */
export interface ContextSummary {
  /** `undefined` for the backend at the top of a config. */
  readonly name: string | undefined;
  readonly backend: { readonly name: string } | { readonly problem: string };
  readonly isReadOnly: boolean;
  readonly isDefault: boolean;
  /** Whether another config, looked at before, has a context of this name. */
  readonly isShadowed: boolean;
  readonly origin: string;
  readonly path: string;
}
