import type { SealedCommand } from './command.js';
import type { CommandName } from './command-table.js';

/** The commands themselves. Each is loaded only when it is named. */
export const COMMAND_LOADERS: Readonly<Record<CommandName, () => Promise<SealedCommand>>> = {
  owner: async () => (await import('./commands/owner.js')).owner,
  inspect: async () => (await import('./commands/inspect.js')).inspect,
  list: async () => (await import('./commands/list.js')).list,
  watch: async () => (await import('./commands/watch.js')).watch,
  acquire: async () => (await import('./commands/acquire.js')).acquire,
  renew: async () => (await import('./commands/renew.js')).renew,
  transfer: async () => (await import('./commands/transfer.js')).transfer,
  release: async () => (await import('./commands/release.js')).release,
  wait: async () => (await import('./commands/wait.js')).wait,
  exec: async () => (await import('./commands/exec.js')).exec,
  check: async () => (await import('./commands/check.js')).check,
  conformance: async () => (await import('./commands/conformance.js')).conformance,
  demo: async () => (await import('./commands/demo.js')).demo,
  completion: async () => (await import('./commands/completion.js')).completion,
};
