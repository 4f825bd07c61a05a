import { NotPermittedError } from './errors.js';

/** A login that is missing or was refused: nothing that was asked was looked at. To callers it is as any other refusal. */
export class LoginError extends NotPermittedError {
  override readonly name = 'NotPermittedError';
}
