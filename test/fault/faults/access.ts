import { startRedis } from '../../support/redis-server.js';
import { type Fault, type Scene, SECRET } from '../fault.js';
import { redisTruth } from '../redis-truth.js';

interface AccessScene {
  /** The users that the server has, by their rules. */
  readonly aclUsers?: Readonly<Record<string, string>>;
  readonly userInfo: string;
  /** What an administrator does. */
  readonly change?: readonly string[];
  /** Whether connections are closed then, as on a server that was restarted. */
  readonly isCut?: boolean;
}

/** A server whose rules change under an application. */
async function withRules({ aclUsers = {}, userInfo, change, isCut = false }: AccessScene): Promise<Scene> {
  const server = await startRedis({ password: SECRET, aclUsers });
  const truth = await redisTruth({ servers: [server], primary: () => server });
  const url = new URL(server.url);
  return {
    truth,
    way: async () => ({ backend: `redis://${userInfo}@${url.host}` }),
    strike: async () => {
      const admin = await server.client();
      const [command, ...args] = change ?? [];
      if (command !== undefined) await admin.call(command, args);
      if (isCut) await admin.call('CLIENT', ['KILL', 'TYPE', 'normal', 'SKIPME', 'yes']);
    },
    [Symbol.asyncDispose]: async () => {
      truth[Symbol.dispose]();
      await server.stop();
    },
  };
}

const ALLOWED = `on >${SECRET} ~* +@all`;

export const ACCESS_FAULTS: readonly Fault[] = [
  {
    name: 'password changed',
    sentence: 'the password was changed, and connections that had the old one are closed',
    arrange: () =>
      withRules({
        aclUsers: { app: ALLOWED },
        userInfo: `app:${SECRET}`,
        change: ['ACL', 'SETUSER', 'app', 'resetpass', `>another ${SECRET}`],
        isCut: true,
      }),
  },
  {
    name: 'permissions taken away',
    sentence: 'the ACL of the user was emptied, also for connections that are open',
    arrange: () =>
      withRules({
        aclUsers: { app: ALLOWED },
        userInfo: `app:${SECRET}`,
        change: ['ACL', 'SETUSER', 'app', '-@all'],
      }),
  },
  {
    name: 'may only read',
    sentence: 'the user has +get +pttl and no more',
    arrange: () =>
      withRules({
        aclUsers: { reader: `on >${SECRET} ~mastra:topic:lease:* +get +pttl` },
        userInfo: `reader:${SECRET}`,
      }),
  },
  {
    name: 'other keys only',
    sentence: 'the user may do everything, with keys that are not these',
    arrange: () =>
      withRules({ aclUsers: { other: `on >${SECRET} ~other:* +@all` }, userInfo: `other:${SECRET}` }),
  },
];
