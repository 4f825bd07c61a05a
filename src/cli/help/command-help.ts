import type { CommandName } from '../command-table.js';
import type { ExitCode } from '../exit-codes.js';
import type { VariableName } from './variables.js';

/** A command line that is worth knowing, and what it does. */
export interface Example {
  readonly what: string;
  readonly command: string;
}

/** What the help of a command says beside its options. */
export interface CommandHelp {
  readonly about: string;
  readonly examples: readonly Example[];
  /** Variables that matter to it beyond those of every command that finds a backend. */
  readonly variables: readonly VariableName[];
  /** It makes a backend itself: nothing that names one means anything to it. */
  readonly hasOwnBackend?: true;
  /** What its exit codes mean, where that is more than the table of all codes says. */
  readonly exitCodes: Readonly<Partial<Record<ExitCode, string>>>;
}

const UNKNOWN = 'sent, and no answer came: read the lease before trying again';

/** The help of every command. Each example is parsed by a test. */
export const COMMAND_HELP: Readonly<Record<CommandName, CommandHelp>> = {
  owner: {
    about: 'Tells who holds a key and for how long. It only reads. In a pipe it prints the owner alone.',
    examples: [
      { what: 'a thread, whatever its resource', command: 'mastra-lease owner thread:abc' },
      { what: 'by both its ids', command: 'mastra-lease owner --resource user-42 --thread abc' },
      { what: 'in a script', command: 'holder=$(mastra-lease owner deploy)' },
      {
        what: 'all that is held, over one connection',
        command: 'mastra-lease list --json | mastra-lease owner - --json',
      },
    ],
    variables: [],
    exitCodes: { 0: 'it is held', 4: 'nobody holds it' },
  },
  inspect: {
    about:
      "Tells all that can be seen of a key: its lease, its thread's events, who waits, what that means, and what to do next. Without a key: every held lease with its verdict, worst first. It only reads.",
    examples: [
      { what: 'one thread', command: 'mastra-lease inspect thread:abc' },
      { what: 'everything that is held, worst first', command: 'mastra-lease inspect' },
      {
        what: 'which process holds what, before a pod is drained',
        command: 'mastra-lease inspect --by process',
      },
      { what: 'is it renewed?', command: 'mastra-lease inspect --observe 10s deploy' },
    ],
    variables: ['MASTRA_AGENT_THREAD_LEASE_TTL_MS', 'MASTRA_AGENT_THREAD_LEASE_RENEW_INTERVAL_MS'],
    exitCodes: { 0: 'it was looked at; what was found is the verdict', 7: 'not everything could be seen' },
  },
  list: {
    about:
      'Prints every lease under the key prefix, worst first: without expiry, late, then by what is left. A key that holds a value of another type is no lease, and left out.',
    examples: [
      { what: 'what is wrong', command: 'mastra-lease list --health late' },
      { what: "one customer's threads", command: "mastra-lease list 'acme-*' --kind thread" },
      { what: 'for a script, one object a line, streamed', command: 'mastra-lease list --json' },
    ],
    variables: ['MASTRA_AGENT_THREAD_LEASE_TTL_MS'],
    exitCodes: {
      0: 'all of them were seen, and be it none',
      7: 'not all of them could be seen',
      9: 'this backend cannot list',
    },
  },
  watch: {
    about:
      'Shows leases as they are acquired, renewed, transferred, released and lost: on a terminal as a screen (? helps), elsewhere as lines. It only reads, unless --write is given.',
    examples: [
      { what: 'every lease', command: 'mastra-lease watch' },
      { what: 'what is late of one customer', command: "mastra-lease watch 'acme-*' --health late" },
      {
        what: 'keep what happens, and look at it later',
        command: 'mastra-lease watch --json --record incident.ndjson',
      },
      { what: 'ten times as fast', command: 'mastra-lease watch --replay incident.ndjson --speed 10' },
    ],
    variables: ['MASTRA_AGENT_THREAD_LEASE_TTL_MS'],
    exitCodes: {
      0: 'ended as asked: q, --for, or the reader of the lines left',
      7: 'with --for: the backend was not seen in all that time',
    },
  },
  acquire: {
    about:
      'Claims a key once, waits for it (--wait), or holds it until stopped (--keep). Prints the owner. Without --keep nothing renews the lease: its --ttl has to cover the work.',
    examples: [
      {
        what: 'a critical section in a script',
        command: 'owner=$(mastra-lease acquire deploy --ttl 15m --wait 10m)',
      },
      { what: 'and its end', command: 'mastra-lease release deploy --owner "$owner"' },
      {
        what: 'hold it while something else runs',
        command: 'mastra-lease acquire deploy --keep --max-duration 2h',
      },
    ],
    variables: ['MASTRA_LEASE_OWNER', 'MASTRA_AGENT_THREAD_LEASE_TTL_MS', 'MASTRA_LEASE_AUDIT_FILE'],
    exitCodes: {
      0: 'acquired, or refreshed by the same owner',
      3: 'another owner has it',
      5: 'with --keep: it was lost',
      6: 'with --wait: another owner had it all the time',
      8: UNKNOWN,
    },
  },
  renew: {
    about: 'Extends a lease that is held. It neither creates nor revives one.',
    examples: [
      { what: 'an hour from now', command: 'mastra-lease renew deploy --owner job-7 --ttl 1h' },
      { what: 'whoever holds it; asks first', command: 'mastra-lease renew deploy --force --ttl 1h' },
    ],
    variables: ['MASTRA_LEASE_OWNER', 'MASTRA_AGENT_THREAD_LEASE_TTL_MS', 'MASTRA_LEASE_AUDIT_FILE'],
    exitCodes: { 0: 'renewed', 3: 'another owner has it', 4: 'nobody has it: it was lost', 8: UNKNOWN },
  },
  transfer: {
    about:
      "Hands a lease from one owner to another without the key being free in between. On a thread's lease this stops no run: abort the run first.",
    examples: [
      {
        what: 'to the next job',
        command: 'mastra-lease transfer deploy --from job-7 --to job-8 --ttl 30m',
      },
      {
        what: 'from whoever is shown; asks first',
        command: 'mastra-lease transfer --resource user-42 --thread abc --force --to run-88d0',
      },
    ],
    variables: ['MASTRA_AGENT_THREAD_LEASE_TTL_MS', 'MASTRA_LEASE_AUDIT_FILE'],
    exitCodes: {
      0: 'transferred',
      3: "another than --from has it, or its thread's run is at work",
      4: 'nobody has it: it was lost',
      8: UNKNOWN,
    },
  },
  release: {
    about:
      "Gives keys back, each from the owner that is named and no other. On a thread's lease this stops no run: abort the run first, look at its logs second, release third.",
    examples: [
      { what: "one's own", command: 'mastra-lease release deploy --owner job-7 --missing-ok' },
      {
        what: 'from whoever is shown; asks first, and looks afterwards',
        command: 'mastra-lease release --resource user-42 --thread abc --force --verify',
      },
      {
        what: 'all that one job holds',
        command: 'mastra-lease list --owner ci-4711 --json | mastra-lease release -',
      },
    ],
    variables: ['MASTRA_LEASE_OWNER', 'MASTRA_LEASE_AUDIT_FILE'],
    exitCodes: {
      0: 'released',
      3: "another owner has it, or its thread's run is at work",
      4: 'nobody has it (0 with --missing-ok)',
      8: UNKNOWN,
    },
  },
  wait: {
    about:
      'Waits until every one of the keys is free, held, changed, or of one owner. Not knowing is never an answer.',
    examples: [
      { what: 'until a deploy is over', command: 'mastra-lease wait deploy --until free --timeout 10m' },
      { what: 'look once', command: 'mastra-lease wait deploy --until owner=job-7 --timeout 0s' },
      {
        what: 'until all runs have ended',
        command: 'mastra-lease list --json | mastra-lease wait - --until free --timeout 10m',
      },
    ],
    variables: [],
    exitCodes: { 0: 'it is as wanted', 6: 'it was not within --timeout' },
  },
  exec: {
    about:
      'Runs a command while it holds a lease, renewing it, and gives it back when the command and all that it started have ended. When the lease is lost the command gets TERM, and KILL after --grace. It finds MASTRA_LEASE_KEY, MASTRA_LEASE_OWNER and MASTRA_LEASE_TTL_MS in its environment. Its own exit code is passed on.',
    examples: [
      {
        what: 'one deploy at a time',
        command: 'mastra-lease exec deploy --wait 10m -- ./deploy.sh production',
      },
      {
        what: 'to tell the failures of the lease from those of the command',
        command: 'mastra-lease exec deploy --lease-exit-code 99 -- ./deploy.sh production',
      },
    ],
    variables: ['MASTRA_LEASE_OWNER', 'MASTRA_AGENT_THREAD_LEASE_TTL_MS', 'MASTRA_LEASE_AUDIT_FILE'],
    exitCodes: {
      3: 'another owner has it: the command was not started',
      5: 'the lease was lost: the command was stopped',
      6: 'with --wait: another owner had it all the time',
    },
  },
  check: {
    about:
      'Loads the backend and tells what it is, by which step it was found, which methods it has, and whether it answers. It writes nothing.',
    examples: [
      { what: 'which backend a command would use here', command: 'mastra-lease check' },
      { what: 'a provider of your own', command: 'mastra-lease check --backend ./src/pubsub.ts#pubsub' },
      { what: 'the contexts of the config', command: 'mastra-lease check --contexts' },
    ],
    variables: [],
    exitCodes: { 0: 'it leases, and it answers', 9: 'it cannot lease, or cannot be verified' },
  },
  conformance: {
    about:
      "Proves Mastra's contract against a backend, clause by clause, with evidence for what breaks. It writes scratch keys of its own, and takes them back.",
    examples: [
      {
        what: 'a provider of your own',
        command: 'mastra-lease conformance --backend ./src/pubsub.ts#pubsub',
      },
      {
        what: 'what is quick, and a report for CI',
        command: 'mastra-lease conformance --level contract --junit report.xml --context dev',
      },
    ],
    variables: [],
    exitCodes: { 0: 'it keeps the contract', 11: 'it breaks the contract' },
  },
  demo: {
    about:
      'Starts simulated workers on a backend of their own and watches their leases, to see what this tool shows without any setup. It cleans up after itself.',
    examples: [{ what: 'for half a minute', command: 'mastra-lease demo --for 30s' }],
    variables: [],
    hasOwnBackend: true,
    exitCodes: { 0: 'ended as asked' },
  },
  completion: {
    about:
      'Prints what makes a shell complete commands, options, their values, contexts and the keys that are held. To complete a key it asks a backend that is named by a URL, for 300 ms at most; it runs no module and makes no file.',
    examples: [
      { what: 'bash, in ~/.bashrc', command: 'eval "$(mastra-lease completion bash)"' },
      { what: 'zsh, in ~/.zshrc after compinit', command: 'eval "$(mastra-lease completion zsh)"' },
      { what: 'fish, in ~/.config/fish/config.fish', command: 'mastra-lease completion fish | source' },
    ],
    variables: [],
    exitCodes: { 0: 'printed', 2: 'it is not for that shell' },
  },
};
