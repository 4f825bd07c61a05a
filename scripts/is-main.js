import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Whether the module at `url` is the one that Node was started with, also when it was named through a link.
 *
 * @param {string} url
 */
export function isMain(url) {
  const started = process.argv[1];
  return started !== undefined && realpathSync(started) === realpathSync(fileURLToPath(url));
}
