import type { LocatedBackend } from '../backend/locate.js';
import { NotPermittedError } from '../lease/errors.js';
import { escapeText } from '../lease/text.js';

/**
 * A seat belt against mistakes, not an access control: whoever can edit the config can take it off.
 *
 * @throws `ERR_LEASE_NOT_PERMITTED` where the config says that its backend is not to be changed
 */
export function assertWritable({ settings, context, configPath }: LocatedBackend): void {
  if (!settings.readOnly) return;
  const which = context === undefined ? 'the backend' : `the context ${escapeText(context)}`;
  throw new NotPermittedError(
    `Nothing was sent: ${which} is readOnly in ${escapeText(configPath ?? 'the config')}`,
    { remedy: 'choose another context, or a backend by --backend' },
  );
}
