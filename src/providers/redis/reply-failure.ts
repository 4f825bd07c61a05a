import {
  InvalidConfigError,
  type LeaseError,
  NotPermittedError,
  UnexpectedReplyError,
  UnreachableError,
  UnsupportedError,
  WrongTypeError,
} from '../../lease/errors.js';
import { LoginError } from '../../lease/login-error.js';

/** The longest text of a server that is passed on in a message. */
const MAX_TEXT = 300;

/** The server answered with an error reply. */
export class ReplyFailure extends Error {
  constructor(message: string) {
    // An unknown command's arguments are echoed: a key, an owner or, for AUTH, the password.
    super(message.replace(/,? with args beginning with.*$/s, ''));
    this.name = 'ReplyFailure';
  }

  /** Whether the reply is of one of these kinds. A script's failure carries the kind somewhere inside. */
  is(...kinds: readonly string[]): boolean {
    return kinds.some((kind) => new RegExp(`(?:^|[\\s:-])${kind}\\b`).test(this.message));
  }
}

/** Whether a reply is an error of one of these kinds. */
export function isFailure(reply: unknown, ...kinds: readonly string[]): boolean {
  return reply instanceof ReplyFailure && reply.is(...kinds);
}

/** Where an error reply came from. */
export interface ReplyContext {
  readonly command: string;
  readonly server: string;
}

interface ReplyRule {
  readonly kinds: readonly string[];
  readonly make: (at: ReplyContext, text: string) => LeaseError;
}

/** Replies by which a server turns a connection away before it looks at any command. */
const TURNED_AWAY: readonly ReplyRule[] = [
  {
    kinds: ['DENIED'],
    make: ({ server }) =>
      new NotPermittedError(`${server} is in protected mode: it takes connections from its own host only`, {
        remedy: 'connect from that host, or have a password set on the server',
      }),
  },
  {
    kinds: ['max number of clients'],
    make: ({ command, server }) =>
      notReady(command, server, 'it has its maximum number of clients', 'try again, or raise its maxclients'),
  },
];

const CREDENTIALS =
  'check the user name and password (MASTRA_LEASE_USERNAME, MASTRA_LEASE_PASSWORD, --password-file or the URL)';

const REPLY_RULES: readonly ReplyRule[] = [
  ...TURNED_AWAY,
  {
    kinds: ['without any password', 'no password is set'],
    make: ({ server }) =>
      new LoginError(`${server} has no password, and one was given`, {
        remedy: 'leave it out, or check that this is the server you mean',
      }),
  },
  {
    kinds: ['NOAUTH'],
    make: ({ server }) =>
      new LoginError(`${server} asks for a login (NOAUTH), and none was given`, {
        remedy: CREDENTIALS,
      }),
  },
  {
    kinds: ['WRONGPASS', 'invalid password'],
    make: ({ server }) =>
      new LoginError(`${server} refused the user name or the password (WRONGPASS)`, {
        remedy: CREDENTIALS,
      }),
  },
  {
    kinds: ['NOPERM', "can't run this command", "can't access at least one of the keys"],
    make: ({ command, server }, text) =>
      new NotPermittedError(`${command} is not permitted on ${server}: ${text}`, {
        remedy: 'ask for the missing ACL permission, or use another user',
      }),
  },
  {
    kinds: ['WRONGTYPE'],
    make: ({ command, server }) =>
      new WrongTypeError(
        `${command}: the key holds a value of another type on ${server}, not a lease; nothing was changed`,
        { remedy: 'a topic named like a lease, or the wrong --key-prefix' },
      ),
  },
  {
    kinds: ['READONLY'],
    make: ({ command, server }) => connectedToReplica(command, server),
  },
  {
    kinds: ['LOADING'],
    make: ({ command, server }) =>
      notReady(command, server, 'it is still loading its data', 'try again in a moment'),
  },
  {
    kinds: ['MASTERDOWN'],
    make: ({ command, server }) =>
      notReady(command, server, 'it is a replica that has lost its primary', 'connect to the primary'),
  },
  {
    kinds: ['OOM'],
    make: ({ command, server }) =>
      notReady(command, server, 'it is out of memory', 'free memory or raise its maxmemory'),
  },
  {
    kinds: ['MISCONF'],
    make: ({ command, server }) =>
      notReady(
        command,
        server,
        'it cannot save to disk and refuses writes (MISCONF)',
        "look at the server's log",
      ),
  },
  {
    kinds: ['CLUSTERDOWN'],
    make: ({ command, server }) =>
      notReady(command, server, 'the cluster is down (CLUSTERDOWN)', 'check its masters'),
  },
  {
    kinds: ['NOREPLICAS', 'TRYAGAIN', 'BUSY'],
    make: ({ command, server }, text) => notReady(command, server, text, 'try again'),
  },
  {
    kinds: ['DB index is out of range', 'invalid DB index', 'SELECT is not allowed in cluster mode'],
    make: ({ server }, text) =>
      new InvalidConfigError(`${server} has no such database: ${text}`, {
        remedy: 'check the number after the host in the URL',
      }),
  },
  {
    kinds: ['unknown command', 'unsupported command', 'not allowed'],
    make: ({ command, server }, text) =>
      new UnsupportedError(`${command} is not available on ${server}: ${text}`, {
        remedy: 'the server or a proxy before it has it disabled',
      }),
  },
];

/** Turns an error reply into the error a caller can act on. */
export function replyFailure(failure: ReplyFailure, context: ReplyContext): LeaseError {
  const text = failure.message.length > MAX_TEXT ? `${failure.message.slice(0, MAX_TEXT)}…` : failure.message;
  const rule = REPLY_RULES.find(({ kinds }) => failure.is(...kinds));
  if (rule) return rule.make(context, text);
  // What else is said about a password may quote it.
  if (context.command === 'AUTH') {
    return new NotPermittedError(`${context.server} refused to log in`, { remedy: CREDENTIALS });
  }
  return new UnexpectedReplyError(`${context.command} on ${context.server} was answered: ${text}`);
}

/** Whether the server turned the connection away without looking at any command. */
export function isTurnedAway(failure: ReplyFailure): boolean {
  return TURNED_AWAY.some(({ kinds }) => failure.is(...kinds));
}

/** The server is a replica: it cannot write, and what it does not have says nothing. */
export function connectedToReplica(command: string, server: string): UnreachableError {
  return new UnreachableError(
    `${command}: connected to a replica, ${server}: it cannot tell that a lease is free, nor change one`,
    { remedy: 'connect to the primary, or by redis+sentinel://' },
  );
}

function notReady(command: string, server: string, reason: string, remedy: string): UnreachableError {
  return new UnreachableError(`${command}: ${server} is not ready: ${reason}; nothing was changed`, {
    remedy,
  });
}
