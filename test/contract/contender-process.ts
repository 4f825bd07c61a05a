import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type {
  ChildSpec,
  Claim,
  ContenderMessage,
  ContenderOrder,
  ContenderPlan,
} from './contender-protocol.js';

const CONTENDER = fileURLToPath(new URL('./contender.ts', import.meta.url));
/** Node 22.13 strips types only when asked. */
const STRIP_TYPES = process.features.typescript ? [] : ['--experimental-strip-types', '--no-warnings'];

type Answer<Kind extends ContenderMessage['message']> = Extract<ContenderMessage, { message: Kind }>;

/** A running process of contenders. */
export interface ContenderProcess {
  /** Lets every contender acquire once, and answers what each got. */
  claim(key: string, ttlMs: number): Promise<readonly Claim[]>;
  /** Lets every contender acquire over and over; resolves when each has tried once. */
  race(key: string, ttlMs: number): Promise<void>;
  /** How often the contenders of the race have acquired so far. */
  attempts(): Promise<number>;
  /** Ends the race. */
  finish(): Promise<{ readonly attempts: number; readonly wins: number }>;
  /** Ends the process. */
  stop(): void;
}

/** Starts a process with so many contenders, each with a provider of its own that is connected already. */
export async function startContenders(spec: ChildSpec, contenders: number): Promise<ContenderProcess> {
  const plan: ContenderPlan = { spec, contenders };
  const child = fork(CONTENDER, [JSON.stringify(plan)], {
    execArgv: STRIP_TYPES,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const inbox = readMessages(child);
  const send = (order: ContenderOrder) => child.send(order);
  await inbox.next('ready');
  return {
    async claim(key, ttlMs) {
      send({ order: 'claim', key, ttlMs });
      return (await inbox.next('claims')).claims;
    },
    async race(key, ttlMs) {
      send({ order: 'race', key, ttlMs });
      await inbox.next('racing');
    },
    async attempts() {
      send({ order: 'count' });
      return (await inbox.next('count')).attempts;
    },
    async finish() {
      send({ order: 'stop' });
      const { attempts, wins } = await inbox.next('raced');
      return { attempts, wins };
    },
    stop() {
      child.kill('SIGKILL');
    },
  };
}

function readMessages(child: ChildProcess) {
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const messages: ContenderMessage[] = [];
  let wake = () => {};
  child.on('message', (message: ContenderMessage) => {
    messages.push(message);
    wake();
  });
  child.on('close', () => wake());

  async function next<Kind extends ContenderMessage['message']>(kind: Kind): Promise<Answer<Kind>> {
    while (messages.length === 0) {
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`A contender ended with ${child.exitCode ?? child.signalCode}: ${stderr}`);
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const message = messages.shift();
    if (!message || !isKind(message, kind)) throw new Error(`Expected ${kind}, got ${message?.message}`);
    return message;
  }
  return { next };
}

function isKind<Kind extends ContenderMessage['message']>(
  message: ContenderMessage,
  kind: Kind,
): message is Answer<Kind> {
  return message.message === kind;
}
