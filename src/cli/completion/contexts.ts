import { findConfigs } from '../../backend/config/find-config.js';
import { listContexts } from '../../backend/config/list-contexts.js';
import { InvalidConfigError } from '../../lease/errors.js';
import type { CliIo } from '../io.js';
import { locateOptions } from '../locate.js';
import type { CommonOptions } from '../options.js';
import type { Printer } from '../printer.js';
import type { Candidate } from './values.js';

/** The contexts of the configs that are JSON: one that is a module is not run to complete a word. */
export async function configContexts(
  io: CliIo,
  printer: Printer,
  options: CommonOptions,
): Promise<readonly Candidate[]> {
  try {
    const configs = await findConfigs({
      ...locateOptions(io, printer, options, 'read'),
      loadModule: async (path) => {
        throw new InvalidConfigError(`${path} is not run to complete a word`);
      },
    });
    const contexts = await listContexts(configs);
    return contexts.flatMap(({ name, backend, isShadowed }) =>
      name === undefined || isShadowed
        ? []
        : [{ value: name, description: 'name' in backend ? backend.name : backend.problem }],
    );
  } catch {
    return [];
  }
}
