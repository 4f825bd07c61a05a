import { InvalidConfigError } from '../../lease/errors.js';
import { escapeText } from '../../lease/text.js';
import { describeMissing, type LoadContext, readMissing } from './missing-import.js';
import { describeThrown } from './thrown.js';
import { UnloadableSource } from './unloadable-source.js';

/** Says in one line why a module did not load: what is missing and who asked for it, or what it threw and where. */
export function describeLoadFailure(error: unknown, context: LoadContext): InvalidConfigError {
  if (error instanceof UnloadableSource)
    return new InvalidConfigError(error.message, { remedy: error.remedy });
  const missing = readMissing(error);
  const { reason, remedy } = missing
    ? describeMissing(missing, context)
    : { reason: describeThrown(error, context.root) };
  return new InvalidConfigError(`${escapeText(context.file)} does not load: ${reason}`, { remedy });
}
