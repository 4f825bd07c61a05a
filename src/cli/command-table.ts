/** What a command is for: the headings of help, in their order. */
export const COMMAND_GROUPS = {
  incident: 'Incident:',
  handoff: 'Handoff:',
  backend: 'Backend and tool:',
} as const;

/** The name of a command. */
export type CommandName =
  | 'owner'
  | 'inspect'
  | 'list'
  | 'watch'
  | 'acquire'
  | 'renew'
  | 'transfer'
  | 'release'
  | 'wait'
  | 'exec'
  | 'check'
  | 'conformance'
  | 'demo'
  | 'completion';

interface CommandEntry {
  readonly group: keyof typeof COMMAND_GROUPS;
  readonly summary: string;
}

/** The commands, in the order in which help lists them. */
export const COMMANDS: Readonly<Record<CommandName, CommandEntry>> = {
  owner: {
    group: 'incident',
    summary: 'who holds a key',
  },
  inspect: {
    group: 'incident',
    summary: 'everything about a key, a verdict, the next step',
  },
  list: {
    group: 'incident',
    summary: 'every lease, worst first',
  },
  watch: {
    group: 'incident',
    summary: 'who owns what, live',
  },
  acquire: {
    group: 'handoff',
    summary: 'claim a key',
  },
  renew: {
    group: 'handoff',
    summary: 'extend a lease',
  },
  transfer: {
    group: 'handoff',
    summary: 'hand a lease over',
  },
  release: {
    group: 'handoff',
    summary: 'give a lease back',
  },
  wait: {
    group: 'handoff',
    summary: 'until a key is free, held or changed',
  },
  exec: {
    group: 'handoff',
    summary: 'run a command while holding a lease',
  },
  check: {
    group: 'backend',
    summary: 'what the backend is, and whether it answers',
  },
  conformance: {
    group: 'backend',
    summary: 'prove the contract against the backend; writes',
  },
  demo: {
    group: 'backend',
    summary: 'simulated workers, to see it all without any setup',
  },
  completion: {
    group: 'backend',
    summary: 'completion for bash, zsh and fish',
  },
};

/** The names of all commands, as help lists them. */
export const COMMAND_NAMES: readonly CommandName[] = Object.keys(COMMANDS).filter(isCommandName);

export function isCommandName(word: string | undefined): word is CommandName {
  return word !== undefined && Object.hasOwn(COMMANDS, word);
}
