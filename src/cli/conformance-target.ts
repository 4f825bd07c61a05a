import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LocatedBackend } from '../backend/locate.js';
import { openRedis, openSqlite } from '../backend/own-provider.js';
import type { ProviderFactory, ProviderProcess } from '../conformance/index.js';
import type { BackendSource } from '../lease/backend.js';
import { resolveLeaseProvider } from '../lease/detect.js';
import { UnsupportedError } from '../lease/errors.js';
import { LEASE_METHODS } from '../lease/provider.js';
import { tellLoadingBackend } from './asking.js';
import { assertWritable } from './assert-writable.js';
import { readConnectionSettings } from './connection-settings.js';
import type { CliIo } from './io.js';
import { LOAD_MS, locate } from './locate.js';
import { type CommonOptions, parseDuration, parseTimeout } from './options.js';
import type { Printer } from './printer.js';
import { UsageError } from './usage-error.js';

/** A backend as `conformance` takes it: the provider bare, since what guards other commands would hide what is wrong. */
export interface ConformanceTarget {
  readonly factory: ProviderFactory;
  readonly source: () => BackendSource;
  /** How long a call may take, in milliseconds. */
  readonly callTimeoutMs: number;
}

const DEFAULT_CALL_TIMEOUT_MS = 5_000;
const BIN = fileURLToPath(new URL('../../bin/mastra-lease.js', import.meta.url));

/** The flag by which a process of ours is told that it is the other process of a run. */
export const AS_PROCESS = '--as-process';

/**
 * Finds the backend by its name: scratch leases are written, so nothing is tested that was merely found.
 *
 * @throws {@link UsageError} for a backend that nobody named, `ERR_LEASE_NOT_PERMITTED` for a context that is readOnly
 */
export async function openTarget(
  io: CliIo,
  printer: Printer,
  options: CommonOptions,
): Promise<ConformanceTarget> {
  const located = await locate(io, printer, options, 'write');
  if (!located.isNamed) {
    throw new UsageError(
      'Expected --backend, --context or their variables: conformance writes scratch leases, and only where it was told to (REDIS_URL tells where an application is)',
    );
  }
  assertWritable(located);
  const { timeout } = located.settings;
  const configuredMs =
    timeout === undefined ? DEFAULT_CALL_TIMEOUT_MS : parseDuration(timeout, 'timeout of the config');
  const callTimeoutMs = Math.min(DEFAULT_CALL_TIMEOUT_MS, parseTimeout(options.timeout, configuredMs));
  return { callTimeoutMs, ...(await makeTarget(io, printer, options, located, callTimeoutMs)) };
}

async function makeTarget(
  io: CliIo,
  printer: Printer,
  options: CommonOptions,
  located: LocatedBackend,
  callTimeoutMs: number,
): Promise<Omit<ConformanceTarget, 'callTimeoutMs'>> {
  const { spec, foundBy, context } = located;
  const base = { foundBy, ...(context !== undefined && { context }) };
  const settings = readConnectionSettings(io, options, located);
  tellLoadingBackend(printer, located);
  const budget = () => callTimeoutMs;
  switch (spec.kind) {
    case 'redis': {
      if (settings.tls?.insecure) {
        await printer.warn(
          "warning: the server's certificate is not checked (--tls-insecure), so anyone may be answering",
        );
      }
      const open = () => openRedis(spec.url, settings, { budget, isKept: true });
      const { name: backend, keyPrefix, database } = await open();
      const source: BackendSource = { ...base, backend, scope: 'network', keyPrefix, database };
      return { factory: open, source: () => source };
    }
    case 'sqlite': {
      const source: BackendSource = { ...base, backend: `sqlite:${spec.path}`, scope: 'host' };
      return { factory: () => openSqlite(spec.path, { access: 'write', budget }), source: () => source };
    }
    // Its leases end with the command, and so does this command with them.
    case 'memory': {
      const { MemoryLeaseProvider } = await import('../providers/memory.js');
      const source: BackendSource = { ...base, backend: 'memory:', scope: 'process' };
      return { factory: () => new MemoryLeaseProvider(), source: () => source };
    }
    case 'module':
    case 'mastra':
      return openApplication(io, options, spec, base);
  }
}

async function openApplication(
  io: CliIo,
  { envFile, allowNoop }: CommonOptions,
  spec: Extract<LocatedBackend['spec'], { kind: 'module' | 'mastra' }>,
  base: Pick<BackendSource, 'foundBy' | 'context'>,
): Promise<Omit<ConformanceTarget, 'callTimeoutMs'>> {
  const { loadApplication } = await import('../backend/module/application.js');
  const { describeClass } = await import('../backend/inspection/describe-class.js');
  const host = { env: io.application.env, cacheDir: io.application.cacheDir() };
  const load = async () => {
    const application = await loadApplication(spec, host, {
      envFile: envFile === undefined ? undefined : resolve(io.cwd(), envFile),
      deadlineMs: LOAD_MS,
    });
    await io.application.settle();
    return application;
  };
  const { backend, file } = await load();
  const { className } = describeClass(backend);
  const source: BackendSource = { ...base, backend: file, provider: className };
  const resolution = resolveLeaseProvider(backend);
  if (resolution.kind === 'none' && resolution.missing.length === LEASE_METHODS.length) {
    if (!allowNoop) {
      throw new UnsupportedError(`${className} cannot lease: it lacks all five methods of LeaseProvider`, {
        remedy: 'the runtime then lets every caller win; --allow-noop tests that',
      });
    }
    const { noopLeaseProvider } = await import('../providers/noop.js');
    return { factory: () => noopLeaseProvider, source: () => ({ ...source, isNoop: true }) };
  }
  let isFirst = true;
  const factory = async () => {
    if (!isFirst) return (await load()).backend;
    isFirst = false;
    return backend;
  };
  return { factory, source: () => source };
}

/** Starts this very command as another process of the run; `undefined` where there is no program to start. */
export function processStarter(argv: CliIo['argv']): (() => ProviderProcess) | undefined {
  if (!existsSync(BIN)) return undefined;
  return () => fork(BIN, [...argv, AS_PROCESS, '--quiet'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
}
