import { resolve } from 'node:path';
import { type Access, type LocatedBackend, type LocateOptions, locateBackend } from '../backend/locate.js';
import type { Step } from '../backend/locate-steps.js';
import { tellLoading } from './asking.js';
import type { CliIo } from './io.js';
import type { CommonOptions } from './options.js';
import type { Printer } from './printer.js';

/** How long loading a module may take, in milliseconds: a command's own time begins after it. */
export const LOAD_MS = 30_000;

/** What finding a backend needs, from the options and this process. What runs code is loaded only when it is needed. */
export function locateOptions(
  io: CliIo,
  printer: Printer,
  options: CommonOptions,
  access: Access,
): LocateOptions {
  const cwd = io.cwd();
  return {
    backend: options.backend,
    context: options.context,
    configPath: options.config === undefined ? undefined : resolve(cwd, options.config),
    access,
    onStep: untilTaken(
      ({ step, taken, why }) => void printer.detail(`backend: ${step}: ${taken ? 'yes' : 'no'}, ${why}`),
    ),
    env: io.env,
    platform: io.platform,
    home: io.home(),
    cwd,
    loadModule: async (path, load) => {
      enterApplication(io, printer);
      tellLoading(printer, path);
      const { createModuleLoader } = await import('../backend/module/load-module.js');
      return createModuleLoader({ cacheDir: io.application.cacheDir() })(path, load);
    },
    findMastraEntry: async (folder) => {
      const { findMastraEntry } = await import('../backend/module/mastra-project.js');
      return findMastraEntry(folder);
    },
  };
}

/** Those after the step that was taken were not looked at. */
function untilTaken(tell: (step: Step) => void): (step: Step) => void {
  let isTaken = false;
  return (step) => {
    if (!isTaken) tell(step);
    isTaken ||= step.taken;
  };
}

/** Finds the backend that the options and the environment name, and makes room for its modules where it has any. */
export async function locate(
  io: CliIo,
  printer: Printer,
  options: CommonOptions,
  access: Access,
): Promise<LocatedBackend> {
  const located = await locateBackend(locateOptions(io, printer, options, access));
  if (located.spec.kind === 'module' || located.spec.kind === 'mastra') enterApplication(io, printer);
  return located;
}

function enterApplication(io: CliIo, printer: Printer): void {
  io.application.enter((line) => void printer.warn(line));
}
