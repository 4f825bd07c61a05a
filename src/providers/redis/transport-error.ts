import { type LeaseError, OutcomeUnknownError, UnreachableError } from '../../lease/errors.js';
import type { CommandKind } from './command.js';

/** A failure in words, without anything secret. */
export interface FailureText {
  readonly reason: string;
  readonly remedy?: string | undefined;
}

interface TransportFailure extends FailureText {
  readonly isTimeout?: boolean;
}

/** The connection failed under a command. `sent` says exactly whether its bytes had been handed to the socket. */
export class TransportError extends Error {
  readonly sent: boolean;
  /** Whether the time was over. A clock may say that a little is left: timers end early now and then. */
  readonly isTimeout: boolean;
  readonly reason: string;
  readonly remedy: string | undefined;

  constructor(sent: boolean, { reason, remedy, isTimeout = false }: TransportFailure) {
    super(reason);
    this.name = 'TransportError';
    this.sent = sent;
    this.isTimeout = isTimeout;
    this.reason = reason;
    this.remedy = remedy;
  }
}

/** The error of a deadline that passed. */
export function timeout(sent: boolean, reason: string, remedy?: string): TransportError {
  return new TransportError(sent, { reason, remedy, isTimeout: true });
}

/** Turns a failed connection under a command into the error a caller can act on. */
export function transportFailure(
  { sent, reason, remedy }: TransportError,
  kind: CommandKind,
  command: string,
  server: string,
): LeaseError {
  if (sent && kind === 'write') {
    return new OutcomeUnknownError(
      `${command} was sent to ${server} and no answer came (${reason}): it may have happened`,
      { remedy: ['read the lease before trying again', remedy].filter(Boolean).join('; ') },
    );
  }
  return new UnreachableError(`${command}: no answer from ${server} (${reason}); nothing was changed`, {
    remedy,
  });
}

const CHECK_ADDRESS = 'check the address and the network';
const CHECK_HOST = 'check the host in the URL';
const PLAIN_INSTEAD = 'try redis:// instead of rediss://';
const TLS_NAME = 'give the name in the certificate by --tls-servername';
const TLS_TRUST = 'give the certificate authority by --tls-ca';

const SOCKET_FAILURES: Readonly<Record<string, FailureText>> = {
  ECONNREFUSED: { reason: 'connection refused', remedy: 'is the server running, and is this its address?' },
  ECONNRESET: { reason: 'connection reset' },
  EPIPE: { reason: 'connection closed by the server' },
  ENOTFOUND: { reason: 'the host name does not resolve', remedy: CHECK_HOST },
  EAI_AGAIN: {
    reason: 'the host name could not be resolved now',
    remedy: `${CHECK_HOST} and the DNS server`,
  },
  ETIMEDOUT: { reason: 'connecting timed out', remedy: 'check the address and any firewall' },
  EHOSTUNREACH: { reason: 'no route to the host', remedy: CHECK_ADDRESS },
  ENETUNREACH: { reason: 'the network is unreachable', remedy: CHECK_ADDRESS },
  ENOENT: { reason: 'no such socket', remedy: 'check the path of the socket' },
  EACCES: { reason: 'permission denied', remedy: 'check the permissions of the socket' },
  EPROTO: { reason: 'TLS failed: the server does not seem to speak it', remedy: PLAIN_INSTEAD },
  ERR_SSL_WRONG_VERSION_NUMBER: { reason: 'TLS failed: the server does not speak it', remedy: PLAIN_INSTEAD },
  ERR_TLS_CERT_ALTNAME_INVALID: { reason: "the server's certificate is for another name", remedy: TLS_NAME },
  DEPTH_ZERO_SELF_SIGNED_CERT: { reason: "the server's certificate is self-signed", remedy: TLS_TRUST },
  SELF_SIGNED_CERT_IN_CHAIN: { reason: "the server's certificate is not trusted", remedy: TLS_TRUST },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { reason: "the server's certificate is not trusted", remedy: TLS_TRUST },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { reason: "the server's certificate is not trusted", remedy: TLS_TRUST },
  CERT_HAS_EXPIRED: { reason: "the server's certificate has expired", remedy: 'renew it' },
};

/** Says in words why a socket failed. */
export function describeSocketFailure(error: Error | undefined): FailureText {
  if (error === undefined) return { reason: 'connection closed' };
  if (isForeignProtocol(error)) {
    return {
      reason: 'what answers there does not speak Redis',
      remedy: 'check host and port; a server that speaks TLS needs rediss://',
    };
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code !== undefined) return SOCKET_FAILURES[code] ?? { reason: code };
  return { reason: error.message.split('\n', 1)[0] || 'connection closed' };
}

/** Whether the failure is that bytes came which are no RESP. */
export function isForeignProtocol(error: Error | undefined): boolean {
  return error?.message.startsWith('Unknown RESP type') ?? false;
}
