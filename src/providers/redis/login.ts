import { type Deadline, withinDeadline } from '../../lease/deadline.js';
import { NotPermittedError } from '../../lease/errors.js';
import type { RedisCommand } from './command.js';

/** Who logs in, and to which database. */
export interface Login {
  readonly username?: string | undefined;
  /** A password, or a function asked at each connect (short-lived tokens). */
  readonly password?: string | (() => string | Promise<string>) | undefined;
  readonly database: number;
}

/**
 * The commands that come before anything else on a connection. A user without a password logs in with an empty one:
 * left out, the commands would run as the default user.
 *
 * @throws `ERR_LEASE_NOT_PERMITTED` when the password function brings none in time.
 */
export async function loginCommands(login: Login, deadline: Deadline): Promise<readonly RedisCommand[]> {
  const { username = '', database } = login;
  const password = await readPassword(login.password, deadline);
  return [
    ...(username !== ''
      ? [['auth', username, password] as const]
      : password !== ''
        ? [['auth', password] as const]
        : []),
    ...(database !== 0 ? [['select', String(database)] as const] : []),
  ];
}

async function readPassword(password: Login['password'], deadline: Deadline): Promise<string> {
  if (typeof password !== 'function') return password ?? '';
  const asked = Promise.resolve().then(password);
  let answer: unknown;
  try {
    answer = await withinDeadline(asked, deadline, () => passwordFailure('did not answer in time'));
  } catch (error) {
    throw error instanceof NotPermittedError ? error : passwordFailure('failed');
  }
  if (typeof answer !== 'string') throw passwordFailure(`answered ${typeof answer} instead of a string`);
  return answer;
}

function passwordFailure(what: string): NotPermittedError {
  return new NotPermittedError(`The configured password function ${what}; nothing was sent`);
}
