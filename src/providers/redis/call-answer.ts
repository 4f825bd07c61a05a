import { UnverifiedError } from '../../lease/errors.js';
import type { CallAnswer } from './client.js';
import { connectedToReplica, ReplyFailure, replyFailure } from './reply-failure.js';

/** The value of an answer's reply; an error reply is thrown as what it means for the caller. */
export function replyOf({ replies, server }: CallAnswer, command: string, index = 0): unknown {
  const reply = replies[index];
  if (reply instanceof ReplyFailure) throw replyFailure(reply, { command, server });
  return reply;
}

/**
 * What a server does not have is "free", or not there, only when it is known to be the primary.
 *
 * @throws `ERR_LEASE_UNREACHABLE` from a replica, `ERR_LEASE_UNVERIFIED` from a server of unknown role.
 */
export function assertPrimary(
  { view, server }: Pick<CallAnswer, 'view' | 'server'>,
  command: string,
  missing = 'no lease',
): void {
  if (view.role === 'replica') throw connectedToReplica(command, server);
  if (view.role === 'unverified') {
    throw new UnverifiedError(
      `${command}: ${missing} was seen on ${server}, but it does not say whether it is the primary, so that is no proof`,
      { remedy: 'a proxy or a Redis before 6: ask the primary directly' },
    );
  }
}
