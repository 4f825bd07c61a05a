import { dirname } from 'node:path';
import { systemClock } from '../../lease/clock.js';
import { Deadline } from '../../lease/deadline.js';
import type { BackendSpec } from '../url.js';
import { chooseBackend } from './choose-export.js';
import { type EnvFiles, readEnvFiles, skipsEnvFiles } from './env-files.js';
import { type ApplicationHost, createModuleLoader } from './load-module.js';
import { findPackageRoot } from './package-root.js';
import type { ChosenBackend } from './unwrap-export.js';

/** What an application that was loaded uses for leases. */
export interface Application extends ChosenBackend {
  /** The module that was loaded. */
  readonly file: string;
  /** The files whose variables it saw. */
  readonly envFiles: readonly string[];
}

/** How to load an application. */
export interface ApplicationOptions {
  /** An absolute path: the file of variables that is read instead of the project's. */
  readonly envFile?: string | undefined;
  /** How long all of it may take, in milliseconds. */
  readonly deadlineMs: number;
}

/** The export of a Mastra project that its backend is taken from. */
const MASTRA_EXPORT = 'mastra';

/**
 * Loads the module of an application as it would load by itself: in its project's environment, where a variable that
 * is set already wins. Its workers stay off unless the user has turned them on.
 *
 * @throws `ERR_LEASE_INVALID_CONFIG`
 */
export async function loadApplication(
  spec: Extract<BackendSpec, { kind: 'module' | 'mastra' }>,
  host: ApplicationHost,
  { envFile, deadlineMs }: ApplicationOptions,
): Promise<Application> {
  const deadline = Deadline.after(deadlineMs, systemClock);
  const [file, root, exportName] =
    spec.kind === 'mastra'
      ? [spec.entry, spec.root, MASTRA_EXPORT]
      : [spec.path, findPackageRoot(dirname(spec.path)) ?? dirname(spec.path), spec.exportName];
  const envFiles = readProjectEnv(root, envFile, host.env);
  host.onEnvFiles?.(envFiles.files);
  // Before the files: what they say about workers is meant for the server.
  host.env.MASTRA_WORKERS ??= 'false';
  for (const [name, value] of Object.entries(envFiles.values)) host.env[name] ??= value;
  const exports = await createModuleLoader(host)(file, { deadlineMs: deadline.remainingMs() });
  const chosen = await chooseBackend(exports, { exportName, file, deadlineMs: deadline.remainingMs() });
  return { ...chosen, file, envFiles: envFiles.files };
}

function readProjectEnv(root: string, envFile: string | undefined, env: ApplicationHost['env']): EnvFiles {
  return envFile === undefined && skipsEnvFiles(env)
    ? { files: [], values: {} }
    : readEnvFiles(root, envFile);
}
