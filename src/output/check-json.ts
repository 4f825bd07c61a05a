import type { CheckReport } from '../operations/check.js';
import type { CheckSetting, ContextSummary } from '../operations/check-setting.js';
import { formatInstant } from './durations.js';
import { errorFields, type JsonObject, sourceFields } from './json.js';
import { printable } from './printable.js';

/** A check as one object: what differs between two pods differs here. */
export function checkJson(
  report: CheckReport,
  { steps, runtime, configPath }: CheckSetting,
  exitCode: number,
): JsonObject {
  const { identity, failure, answers, inspection, server, warnings, source, atMs } = report;
  const { className, file, unwrapping, methods, traits, confinement, inspector } = identity;
  return {
    schema: 'mastra-lease/check@1',
    exitCode,
    source: sourceFields(source),
    steps: steps.map(({ step, taken, why }) => ({ step, taken, why: printable(why) })),
    ...(configPath !== undefined && { config: printable(configPath) }),
    provider: {
      class: printable(className),
      ...(file !== undefined && { module: printable(file) }),
      unwrapping: unwrapping.map(printable),
      methods,
      scope: traits.scope ?? 'unstated',
      atomicTransfer: traits.atomicTransfer ?? 'unstated',
      ...(confinement && { confinement }),
    },
    ...(inspector && { inspector: { ...inspector, name: printable(inspector.name) } }),
    ...(inspection && {
      listing:
        'error' in inspection
          ? { state: inspection.state, error: errorFields(inspection.error) }
          : inspection,
    }),
    ...(answers && {
      answers: 'error' in answers ? { asked: answers.asked, error: errorFields(answers.error) } : answers,
    }),
    ...(server && { server }),
    runtime,
    warnings: warnings.map(printable),
    ...(failure && { error: errorFields(failure) }),
    at: formatInstant(atMs),
  };
}

/** One context of a config. */
export function contextJson({
  name,
  backend,
  isReadOnly,
  isDefault,
  isShadowed,
  origin,
  path,
}: ContextSummary): JsonObject {
  return {
    schema: 'mastra-lease/context@1',
    name: name === undefined ? null : printable(name),
    ...('name' in backend ? { backend: printable(backend.name) } : { problem: printable(backend.problem) }),
    readOnly: isReadOnly,
    default: isDefault,
    shadowed: isShadowed,
    origin,
    config: printable(path),
  };
}
