import type { BackendSource } from '../../lease/backend.js';
import { linkValues } from '../../lease/facts.js';
import { parseKey } from '../../lease/key.js';
import { fillLink } from '../../lease/link.js';
import type { NextStep } from '../../lease/next-steps.js';
import { escapeText } from '../../lease/text.js';
import type { Inspection } from '../../operations/inspect/inspect.js';
import { nextCommand, option, searchCommand } from '../command-line.js';
import { formatDuration } from '../durations.js';
import { printable } from '../printable.js';

/** What the words about an inspection depend on beside it. */
export interface InspectSetting {
  /** Templates of URLs by name, of the config. */
  readonly links: Readonly<Record<string, string>>;
  /** The options that were typed, by their names in camel case: commands are about the same backend. */
  readonly typed: object;
  /** Whether the config refuses writes on this backend. */
  readonly isReadOnlyContext: boolean;
}

/** What to send to the application. */
export interface HttpRequest {
  readonly method: 'POST';
  readonly path: string;
  /** JSON, with everything escaped that a terminal would obey. */
  readonly body?: string;
}

/** A next step in words, with what to run, send or open as it can be copied. */
export interface StepWords {
  readonly kind: NextStep['kind'] | 'search';
  readonly title: string;
  /** Exactly one of these four says what to do. */
  readonly command?: string;
  readonly request?: HttpRequest;
  readonly link?: string;
  readonly text?: string;
  readonly note?: string;
  /** What it can cause. */
  readonly beware?: string;
}

/** The next steps of an inspection, in their order, in words. */
export function stepWords(inspection: Inspection, setting: InspectSetting): readonly StepWords[] {
  const steps = inspection.steps.map((step, index) => ({
    kind: step.kind,
    ...wordsOf(step, inspection, setting, index === 0),
  }));
  return [...steps, ...searchWords(inspection, setting)];
}

/** A key that nobody holds may have been meant as a thread's id: of that thread, its being free says nothing. */
function searchWords({ key, facts }: Inspection, { typed }: InspectSetting): readonly StepWords[] {
  const isWord = parseKey(key).kind === 'other' && !key.includes(':');
  if (facts.lease || !isWord) return [];
  const command = searchCommand(typed, key, 'inspect');
  return [{ kind: 'search', title: "if it is a thread's id", command }];
}

function wordsOf(
  step: NextStep,
  inspection: Inspection,
  setting: InspectSetting,
  isFirst: boolean,
): Omit<StepWords, 'kind'> {
  const { key, source } = inspection;
  switch (step.kind) {
    case 'answer':
      return {
        title: 'answer it',
        text: `run ${escapeText(step.runId)} waits for an approval, and goes on by itself once it has one`,
      };
    case 'abort':
      return {
        title: 'abort the run',
        request: abortRequest(inspection),
        ...(!step.isOwner && { note: abortNote(step) }),
      };
    case 'logs':
      return { title: 'its logs', ...logsOf(step, inspection, setting) };
    case 'ask':
      return {
        title: 'ask whose it is',
        text: `${escapeText(step.owner)} is no run here: it may hold the thread on purpose`,
      };
    case 'release':
      return {
        title: isFirst ? 'give it back' : 'only then',
        ...writing('release', '--force', key, setting),
        beware: 'released first, the run goes on and other processes can no longer abort it',
      };
    case 'renew':
      return {
        title: 'let it expire',
        ...writing('renew', `--force --ttl ${formatTtl(step.ttlMs)}`, key, setting),
        beware: "a live owner goes on renewing it, and a dead one's ends then: this starts no second run",
      };
    case 'acquire':
      return {
        title: 'claim it for the run',
        ...writing('acquire', ownerAndTtl('--owner', step.owner, step.ttlMs), key, setting),
        beware:
          'only where its process is known to live: nothing else renews it, and an owner that is no live run swallows the messages sent to it',
      };
    case 'transfer': {
      const owners = `${option('--from', step.from)} ${ownerAndTtl('--to', step.to, step.ttlMs)}`;
      return {
        title: 'hand it to the run',
        ...writing('transfer', owners, key, setting),
        beware: 'the run of the old owner goes on, and other processes can no longer abort it',
      };
    }
    case 'wait':
      return {
        title: `wait ${formatDuration(step.forMs)}`,
        text: WAITS[step.until],
      };
    case 'observe':
      return {
        title: 'look longer',
        command: withOptions('inspect', `--observe ${formatTtl(step.forMs)}`, key, setting),
      };
    case 'resend':
      return {
        title: 'send again',
        text: `${step.count === 1 ? 'a message' : `${step.count} messages`} went to an owner that is no live run, and will not be taken up`,
      };
    case 'check-prefix':
      return { title: 'is it the place?', text: placeText(source, step.isPrefixUsed) };
  }
}

const WAITS = {
  expiry: 'the lease ends by itself then, unless it is renewed: look again',
  renewal: 'a live owner renews it until then: look again',
} as const;

/** The agent is only known where a lease of the run names it. */
function abortRequest({ key, related }: Inspection): HttpRequest {
  const parts = parseKey(key);
  const agents = new Set(
    related.leases.flatMap(({ lease }) => {
      const of = parseKey(lease.key);
      return 'agent' in of ? [of.agent] : [];
    }),
  );
  const [agent = 'AGENT'] = agents.size === 1 ? agents : [];
  const path = `/api/agents/${encodeURIComponent(agent.toWellFormed())}/threads/abort`;
  if (parts.kind !== 'thread') return { method: 'POST', path };
  const body = { resourceId: parts.resource, threadId: parts.thread };
  return { method: 'POST', path, body: printableJson(body) };
}

/** JSON that may be copied whole: what a terminal would obey, or not draw, is escaped as JSON does. */
function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

function abortNote({ runId, process }: Extract<NextStep, { kind: 'abort' }>): string {
  const run = `run ${escapeText(runId)} does not hold the lease`;
  return process === undefined
    ? `${run}: only its own process obeys`
    : `${run}: only its own process obeys, ${escapeText(process)}`;
}

function logsOf(
  { runId, process }: Extract<NextStep, { kind: 'logs' }>,
  { facts }: Inspection,
  { links }: InspectSetting,
): Pick<StepWords, 'link' | 'text' | 'note'> {
  const values = {
    ...linkValues(facts),
    ...(runId !== undefined && { run: runId }),
    ...(process !== undefined && { process }),
  };
  const link = links.run === undefined ? undefined : fillLink(links.run, values);
  if (link !== undefined) return { link: printable(link), note: 'config: links.run' };
  const of = [
    ...(runId === undefined ? [] : [`run ${escapeText(runId)}`]),
    ...(process === undefined ? [] : [`process ${escapeText(process)}`]),
  ];
  return { text: of.join(' · '), note: 'links.run in the config makes a link of it' };
}

function writing(
  verb: string,
  options: string,
  key: string,
  setting: InspectSetting,
): Pick<StepWords, 'command' | 'note'> {
  return {
    command: withOptions(verb, options, key, setting),
    ...(setting.isReadOnlyContext && { note: 'refused from here: the config says readOnly' }),
  };
}

function withOptions(verb: string, options: string, key: string, { typed }: InspectSetting): string {
  const start = `mastra-lease ${verb}`;
  return `${start} ${options}${nextCommand(verb, typed, key).slice(start.length)}`;
}

function ownerAndTtl(flag: string, owner: string, ttlMs: number): string {
  return `${option(flag, owner)} --ttl ${formatTtl(ttlMs)}`;
}

/** A duration as an option takes it. */
function formatTtl(ms: number): string {
  const whole = Math.ceil(ms);
  return whole % 1_000 === 0 ? `${whole / 1_000}s` : `${whole}ms`;
}

function placeText({ keyPrefix }: BackendSource, isPrefixUsed: boolean | undefined): string {
  const place = keyPrefix === undefined ? 'there' : `under ${escapeText(keyPrefix)}`;
  if (isPrefixUsed === true)
    return `other keys are leased ${place}: are resource and thread written as the application has them?`;
  const ask =
    keyPrefix === undefined
      ? "is it the application's backend?"
      : "is it the application's prefix (--key-prefix), database and server?";
  return isPrefixUsed === false ? `nothing at all is leased ${place}: ${ask}` : ask;
}

/** The links of the config about a key, as far as what they name is known, by name. */
export function filledLinks(
  { facts }: Inspection,
  { links }: InspectSetting,
): readonly (readonly [name: string, link: string])[] {
  const values = linkValues(facts);
  return Object.entries(links).flatMap(([name, template]) => {
    const link = fillLink(template, values);
    return link === undefined ? [] : [[name, printable(link)] as const];
  });
}
