import { systemClock } from '../../lease/clock.js';
import { Deadline, withinDeadline } from '../../lease/deadline.js';
import type { Password } from './connection-facts.js';
import { asText, isObject, read } from './values.js';

/** Who a client logs in as. */
export interface Credentials {
  readonly username?: string;
  readonly password?: Password;
}

/** How long an application's own source of credentials may take to say a user name, in milliseconds. */
const ASKING_MS = 2_000;

/**
 * Reads the credentials of node-redis' options. A `credentialsProvider` comes before `username` and `password`, of
 * which node-redis makes one itself. Its user name is asked for now, its password again at each connect.
 */
export async function readCredentials(options: unknown): Promise<Credentials> {
  const provider = read(options, 'credentialsProvider');
  const fixed = login(read(options, 'username'), read(options, 'password'));
  if (!isObject(provider)) return fixed;
  const password = async () => (await ask(provider)).password ?? '';
  let asked: Login;
  try {
    asked = await withinDeadline(
      ask(provider),
      Deadline.after(ASKING_MS, systemClock),
      () => new Error('late'),
    );
  } catch {
    // It is asked again when there is something to connect to, and its failure is then that connection's.
    return { ...fixed, password };
  }
  if (asked.password === fixed.password && asked.username === fixed.username) return fixed;
  return {
    ...(asked.username !== undefined && { username: asked.username }),
    ...(asked.password !== undefined && { password }),
  };
}

interface Login {
  readonly username?: string;
  readonly password?: string;
}

/** Asks either kind of node-redis' providers; of one that streams, only the first answer is taken. */
async function ask(provider: object): Promise<Login> {
  const credentials = read(provider, 'credentials');
  if (typeof credentials === 'function') {
    const answer: unknown = await credentials.call(provider);
    return login(read(answer, 'username'), read(answer, 'password'));
  }
  const subscribe = read(provider, 'subscribe');
  if (typeof subscribe !== 'function') return {};
  const answer: unknown = await subscribe.call(provider, { onNext: () => {}, onError: () => {} });
  const dispose = read(read(answer, 1), 'dispose');
  if (typeof dispose === 'function') dispose.call(read(answer, 1));
  return login(read(read(answer, 0), 'username'), read(read(answer, 0), 'password'));
}

function login(name: unknown, secret: unknown): Login {
  const [username, password] = [asText(name), asText(secret)];
  return { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
}
