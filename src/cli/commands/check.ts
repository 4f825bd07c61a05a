import { randomUUID } from 'node:crypto';
import { findConfigs } from '../../backend/config/find-config.js';
import { listContexts } from '../../backend/config/list-contexts.js';
import { checkBackend } from '../../operations/check.js';
import { checkJson, contextJson } from '../../output/check-json.js';
import { checkText, contextRow } from '../../output/check-text.js';
import { type Run, runGuarded, sealCommand } from '../command.js';
import { type ExitCode, exitCodeOfError } from '../exit-codes.js';
import { locateOptions } from '../locate.js';
import { type CommonOptions, runtimeSettings, withCommonOptions } from '../options.js';
import type { Printer } from '../printer.js';
import { examineSession } from '../session.js';

type CheckOptions = CommonOptions & { readonly contexts?: boolean };

/** `check`: what the backend is, method by method, and whether it answers. */
export const check = sealCommand<CheckOptions>({
  declare(command, run) {
    command.option('--contexts', 'list the contexts of the config instead');
    withCommonOptions(command, 'for the calls (default 5s each)');
    command.action((options: CheckOptions) => run(options));
  },
  run: (run, options) =>
    runGuarded(run, 'check', options, (printer) =>
      options.contexts ? printContexts(run, printer, options) : printCheck(run, printer, options),
    ),
});

async function printCheck({ io }: Run, printer: Printer, options: CommonOptions): Promise<ExitCode> {
  const { located, examined } = await examineSession(io, printer, options);
  try {
    const report = await checkBackend(examined, io.clock, `mastra-lease-check:${randomUUID()}`);
    const exitCode = report.failure ? exitCodeOfError(report.failure.code) : 0;
    const setting = {
      steps: located.steps,
      runtime: runtimeSettings(io.env),
      configPath: located.configPath,
    };
    if (printer.mode === 'json') await printer.json(checkJson(report, setting, exitCode));
    else await printer.line(checkText(report, setting, printer.theme));
    return exitCode;
  } finally {
    await examined.close();
  }
}

async function printContexts({ io }: Run, printer: Printer, options: CommonOptions): Promise<ExitCode> {
  const configs = await findConfigs(locateOptions(io, printer, options, 'read'));
  const contexts = await listContexts(configs);
  for (const context of contexts) {
    if (printer.mode === 'json') await printer.json(contextJson(context));
    else await printer.line(contextRow(context));
  }
  if (contexts.length === 0) await printer.talk('no config has a context');
  return 0;
}
