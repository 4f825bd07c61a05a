import { createServer, type Socket } from 'node:net';
import { findFreePort } from './free-port.js';
import { CommandParser } from './resp-commands.js';

/** Raw RESP bytes to send, or what to do instead: end the connection, or never answer again on it. */
export type StubAnswer = Buffer | string | 'close' | 'hang';

/** `index` counts the commands that the stub got, on all connections, from 0. */
export type AnswerCommand = (command: readonly string[], index: number) => StubAnswer | Promise<StubAnswer>;

export interface RespStub extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  /** Every command that came, in order. */
  readonly commands: readonly (readonly string[])[];
  stop(): Promise<void>;
}

/**
 * A server that answers each command as the test says: for answers that a real server gives only in states that
 * cannot be made at will (LOADING, a proxy without HELLO, a malformed reply).
 */
export async function startRespStub(answer: AnswerCommand): Promise<RespStub> {
  const port = await findFreePort();
  const commands: string[][] = [];
  const sockets = new Set<Socket>();

  async function answerAll(socket: Socket, batch: readonly string[][]): Promise<boolean> {
    for (const command of batch) {
      const reply = await answer(command, commands.push(command) - 1);
      if (reply === 'hang') return false;
      if (reply === 'close') {
        socket.destroy();
        return false;
      }
      socket.write(reply);
    }
    return true;
  }

  const listener = createServer((socket) => {
    sockets.add(socket);
    const parser = new CommandParser();
    let answering: Promise<boolean> = Promise.resolve(true);
    socket.on('data', (chunk) => {
      answering = answering.then((goesOn) => goesOn && answerAll(socket, parser.push(chunk)));
      answering.catch((error) => socket.destroy(error));
    });
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(port, '127.0.0.1', resolve);
  });

  const stop = async () => {
    listener.close();
    for (const socket of sockets) socket.destroy();
  };
  return {
    host: '127.0.0.1',
    port,
    url: `redis://127.0.0.1:${port}`,
    commands,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
