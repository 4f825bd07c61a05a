import {
  InvalidConfigError,
  type LeaseError,
  NotPermittedError,
  OutcomeUnknownError,
  UnexpectedReplyError,
  UnreachableError,
  UnsupportedError,
  WrongTypeError,
} from '../../lease/errors.js';

/** What a command was for, so that its failure can be told: changing a lease or only reading. */
export type CommandKind = 'read' | 'write';

/** The connection failed under a command. `sent` says exactly whether its bytes had been handed to the socket. */
export class TransportError extends Error {
  readonly sent: boolean;
  readonly reason: string;
  readonly remedy: string | undefined;

  constructor(sent: boolean, { reason, remedy }: FailureText) {
    super(reason);
    this.name = 'TransportError';
    this.sent = sent;
    this.reason = reason;
    this.remedy = remedy;
  }
}

/** The server answered with an error reply. */
export class ReplyFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ReplyFailure';
  }

  /** Whether the reply is of one of these kinds. A script's failure carries the kind somewhere inside. */
  is(...kinds: readonly string[]): boolean {
    return kinds.some((kind) => new RegExp(`(?:^|[\\s:-])${kind}\\b`).test(this.message));
  }
}

/** A failure in words, without anything secret. */
export interface FailureText {
  readonly reason: string;
  readonly remedy?: string | undefined;
}

/** Turns a failed connection under a command into the error a caller can act on. */
export function transportFailure(
  error: TransportError,
  kind: CommandKind,
  command: string,
  server: string,
): LeaseError {
  if (error.sent && kind === 'write') {
    return new OutcomeUnknownError(
      `${command} was sent to ${server} and no answer came (${error.reason}): it may have happened`,
      {
        remedy: 'read the lease before trying again',
      },
    );
  }
  return new UnreachableError(`${command}: no answer from ${server} (${error.reason}); nothing was changed`, {
    remedy: error.remedy,
  });
}

interface ReplyRule {
  readonly kinds: readonly string[];
  readonly make: (text: string, at: ReplyContext) => LeaseError;
}

/** Where an error reply came from. */
export interface ReplyContext {
  readonly command: string;
  readonly server: string;
}

const REPLY_RULES: readonly ReplyRule[] = [
  {
    kinds: ['NOAUTH', 'WRONGPASS', 'DENIED', 'invalid password', 'AUTH <password> called without'],
    make: (text, { server }) =>
      new NotPermittedError(`${server} refused the credentials: ${text}`, {
        remedy: text.includes('without any password')
          ? 'this server has no password: leave it out, or check that this is the server you mean'
          : 'check the user name and password (MASTRA_LEASE_USERNAME, MASTRA_LEASE_PASSWORD, --password-file or the URL)',
      }),
  },
  {
    kinds: ['NOPERM', "can't run this command"],
    make: (text, { command, server }) =>
      new NotPermittedError(`${command} is not permitted on ${server}: ${text}`, {
        remedy: 'ask for the missing ACL permission, or use another user',
      }),
  },
  {
    kinds: ['WRONGTYPE'],
    make: (_text, { command, server }) =>
      new WrongTypeError(
        `${command}: the key holds a value of another type on ${server}, not a lease; nothing was changed`,
        {
          remedy: 'a topic named like a lease, or the wrong --key-prefix',
        },
      ),
  },
  {
    kinds: ['READONLY'],
    make: (_text, { command, server }) => connectedToReplica(command, server),
  },
  {
    kinds: ['LOADING'],
    make: (_text, { command, server }) =>
      notReady(command, server, 'it is still loading its data', 'try again in a moment'),
  },
  {
    kinds: ['MASTERDOWN'],
    make: (_text, { command, server }) =>
      notReady(command, server, 'it is a replica that has lost its primary', 'connect to the primary'),
  },
  {
    kinds: ['OOM'],
    make: (_text, { command, server }) =>
      notReady(command, server, 'it is out of memory', 'free memory or raise maxmemory'),
  },
  {
    kinds: ['MISCONF'],
    make: (_text, { command, server }) =>
      notReady(
        command,
        server,
        'it cannot save to disk and refuses writes (MISCONF)',
        "look at the server's log",
      ),
  },
  {
    kinds: ['CLUSTERDOWN'],
    make: (_text, { command, server }) =>
      notReady(command, server, 'the cluster is down (CLUSTERDOWN)', 'check its masters'),
  },
  {
    kinds: ['NOREPLICAS', 'TRYAGAIN', 'BUSY', 'max number of clients reached'],
    make: (text, { command, server }) => notReady(command, server, text, 'try again'),
  },
  {
    kinds: ['DB index is out of range', 'invalid DB index', 'SELECT is not allowed in cluster mode'],
    make: (text, { server }) =>
      new InvalidConfigError(`${server} has no such database: ${text}`, {
        remedy: 'check the number after the host in the URL',
      }),
  },
  {
    kinds: ['unknown command', 'unsupported command', 'not allowed'],
    make: (text, { command, server }) =>
      new UnsupportedError(`${command} is not available on ${server}: ${text}`, {
        remedy: 'the server or a proxy before it has it disabled',
      }),
  },
];

/** Turns an error reply into the error a caller can act on. */
export function replyFailure(failure: ReplyFailure, context: ReplyContext): LeaseError {
  const rule = REPLY_RULES.find(({ kinds }) => failure.is(...kinds));
  if (rule) return rule.make(failure.message, context);
  return new UnexpectedReplyError(`${context.command} on ${context.server} was answered: ${failure.message}`);
}

/** The server is a replica: it cannot write, and what it does not have says nothing. */
export function connectedToReplica(command: string, server: string): UnreachableError {
  return new UnreachableError(
    `${command}: connected to a replica, ${server}: it cannot tell that a lease is free, nor change one`,
    {
      remedy: 'connect to the primary, or by redis+sentinel://',
    },
  );
}

function notReady(command: string, server: string, reason: string, remedy: string): UnreachableError {
  return new UnreachableError(`${command}: ${server} is not ready: ${reason}; nothing was changed`, {
    remedy,
  });
}

const TLS_NAME = 'give the name in the certificate by --tls-servername';
const TLS_TRUST = 'give the certificate authority by --tls-ca';
const SOCKET_FAILURES: Readonly<Record<string, FailureText>> = {
  ECONNREFUSED: { reason: 'connection refused', remedy: 'is the server running, and is this its address?' },
  ECONNRESET: {
    reason: 'connection reset',
    remedy: 'a server that speaks TLS resets plain connections: try rediss://',
  },
  EPIPE: { reason: 'connection closed by the server' },
  ENOTFOUND: { reason: 'the host name does not resolve', remedy: 'check the host in the URL' },
  EAI_AGAIN: {
    reason: 'the host name could not be resolved now',
    remedy: 'check the host in the URL and the DNS server',
  },
  ETIMEDOUT: { reason: 'connecting timed out', remedy: 'check the address and any firewall' },
  EHOSTUNREACH: { reason: 'no route to the host', remedy: 'check the address and the network' },
  ENETUNREACH: { reason: 'the network is unreachable', remedy: 'check the address and the network' },
  ENOENT: { reason: 'no such socket', remedy: 'check the path of the socket' },
  EACCES: { reason: 'permission denied', remedy: 'check the permissions of the socket' },
  EPROTO: {
    reason: 'TLS failed: the server does not seem to speak it',
    remedy: 'try redis:// instead of rediss://',
  },
  ERR_SSL_WRONG_VERSION_NUMBER: {
    reason: 'TLS failed: the server does not speak it',
    remedy: 'try redis:// instead of rediss://',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: { reason: "the server's certificate is for another name", remedy: TLS_NAME },
  DEPTH_ZERO_SELF_SIGNED_CERT: { reason: "the server's certificate is self-signed", remedy: TLS_TRUST },
  SELF_SIGNED_CERT_IN_CHAIN: { reason: "the server's certificate is not trusted", remedy: TLS_TRUST },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { reason: "the server's certificate is not trusted", remedy: TLS_TRUST },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { reason: "the server's certificate is not trusted", remedy: TLS_TRUST },
  CERT_HAS_EXPIRED: { reason: "the server's certificate has expired", remedy: 'renew it' },
};

/** Says in words why a socket failed. */
export function describeSocketFailure(error: unknown): FailureText {
  if (!(error instanceof Error)) return { reason: 'connection closed' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code !== undefined) return SOCKET_FAILURES[code] ?? { reason: code };
  if (error.message.includes('RESP'))
    return { reason: 'what answers there does not speak Redis', remedy: 'check host and port' };
  return { reason: firstLine(error.message) || 'connection closed' };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
