import type { LeaseError } from '../lease/errors.js';
import { LEASE_METHODS } from '../lease/provider.js';
import type { Answers, CheckReport, Inspection } from '../operations/check.js';
import type { CheckSetting, ContextSummary, RuntimeSettings } from '../operations/check-setting.js';
import { formatDuration } from './durations.js';
import { printable } from './printable.js';
import { sourceText } from './source-text.js';
import type { Theme } from './theme.js';

/** A check as lines of a name and what was found, the problems last. */
export function checkText(report: CheckReport, setting: CheckSetting, theme: Theme): string {
  const { identity, failure, answers, inspection, server, warnings, source } = report;
  const { className, file, unwrapping, methods, traits, confinement } = identity;
  const rows: (readonly [string, string])[] = [
    ['backend', sourceText(source)],
    ...searchSteps(setting.steps).map(({ step, taken, why }): [string, string] => [
      '',
      theme.dim(`${taken ? '→' : ' '} ${step}: ${printable(why)}`),
    ]),
    ...(setting.configPath === undefined ? [] : [['config', printable(setting.configPath)] as const]),
    ...(file === undefined ? [] : [['module', printable([file, ...unwrapping].join(' → '))] as const]),
    ['provider', printable(className)],
    [
      'methods',
      LEASE_METHODS.map((method) =>
        methods[method] ? `${theme.good('✓')} ${method}` : `${theme.bad('✗ no')} ${method}`,
      ).join('  '),
    ],
    [
      'scope',
      `${traits.scope ?? 'unstated'}${confinement === undefined ? '' : ` · ${CONFINEMENT[confinement]}`}`,
    ],
    [
      'transfer',
      traits.atomicTransfer === undefined
        ? 'atomic: unstated'
        : `atomic: ${traits.atomicTransfer ? 'yes' : 'no'} (declared)`,
    ],
    ...(identity.inspector
      ? [['inspector', `${printable(identity.inspector.name)} · ${identity.inspector.how}`] as const]
      : []),
    ...(inspection ? [['listing', inspectionText(inspection)] as const] : []),
    ...(answers ? [['answers', answersText(answers)] as const] : []),
    ...(server ? [['server', serverText(server)] as const] : []),
    ['runtime', runtimeText(setting.runtime)],
    ...warnings.map((warning) => [theme.warn('warning'), printable(warning)] as const),
    ...(failure ? [[theme.bad('failed'), failureText(failure)] as const] : []),
  ];
  return rows.map(([name, value]) => `${pad(name)}${value}`).join('\n');
}

/** The steps as far as they were looked at: up to the one that was taken. */
function searchSteps(steps: CheckSetting['steps']): CheckSetting['steps'] {
  const taken = steps.findIndex((step) => step.taken);
  return taken < 0 ? steps : steps.slice(0, taken + 1);
}

const CONFINEMENT = {
  process: 'its leases live inside that process and no other can see them',
  caller: 'a lease counts as free once the process that took it is gone',
} as const;

/** Pads by what is shown: a coloured name has more characters than columns. */
function pad(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape of our own colour codes
  const shown = name.replace(/\u001b\[\d+m/g, '');
  return name + ' '.repeat(Math.max(1, 11 - shown.length));
}

function answersText(answers: Answers): string {
  if ('error' in answers) return `call ${answers.asked} failed`;
  const { asked, minMs, medianMs, maxMs } = answers;
  return `${asked} of ${asked}, in ${formatMs(minMs)} / ${formatMs(medianMs)} / ${formatMs(maxMs)} ms (min / median / max)`;
}

function formatMs(ms: number): string {
  return ms.toFixed(ms < 10 ? 2 : 0);
}

function failureText({ message, remedy }: LeaseError): string {
  return printable(remedy === undefined ? message : `${message} — ${remedy}`);
}

function inspectionText(inspection: Inspection): string {
  switch (inspection.state) {
    case 'verified':
      return `${inspection.seen} ${inspection.seen === 1 ? 'lease' : 'leases'} seen, and the provider names the same owners`;
    case 'nothing to compare':
      return 'nothing is listed, so nothing could be compared';
    case 'refused':
      return 'refused';
    case 'none':
      return 'not possible';
  }
}

function serverText({
  version,
  role,
  mode,
  evictionPolicy,
  isTrackingPermitted,
  runId,
}: NonNullable<CheckReport['server']>): string {
  const told = [
    version === undefined ? 'version untold' : version,
    role,
    mode ?? 'mode untold',
    `eviction ${evictionPolicy}`,
    `tracking ${isTrackingPermitted ? 'permitted' : 'refused'}`,
    `run id ${runId}`,
  ];
  return printable(told.join(' · '));
}

function runtimeText({ ttlMs, renewIntervalMs, isFromEnvironment }: RuntimeSettings): string {
  return `lease TTL ${formatDuration(ttlMs)}, renewed every ${formatDuration(renewIntervalMs)} (${isFromEnvironment ? "from this environment's variables" : "the runtime's defaults; no variable set here"})`;
}

/** One context of a config: name, backend, what it is, and the file, tab-separated; `-` for the one at the top. */
export function contextRow({
  name,
  backend,
  isReadOnly,
  isDefault,
  isShadowed,
  path,
}: ContextSummary): string {
  const is = [
    ...(isDefault ? ['default'] : []),
    ...(isReadOnly ? ['read-only'] : []),
    ...(isShadowed ? ['shadowed'] : []),
  ];
  const where = 'name' in backend ? backend.name : `unreadable: ${backend.problem}`;
  return [name ?? '-', where, is.join(' ') || '-', path].map(printable).join('\t');
}
