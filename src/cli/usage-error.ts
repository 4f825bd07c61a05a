/** The command line or the environment asks for something that cannot be meant. Nothing was opened or sent. */
export class UsageError extends Error {
  readonly code = 'ERR_USAGE';

  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** A signal ended the command. */
export class InterruptedError extends Error {
  readonly code = 'ERR_INTERRUPTED';
  readonly exitCode: 129 | 130 | 143;

  constructor(signal: string, exitCode: 129 | 130 | 143) {
    super(`Interrupted by ${signal}`);
    this.name = 'InterruptedError';
    this.exitCode = exitCode;
  }
}
