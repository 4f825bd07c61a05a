import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The licenses of the packages that are in a bundle: they ask to be passed on with it.
 *
 * @param {string} repository
 * @param {readonly string[]} inputs the files that went in, from the repository
 */
export function licensesOf(repository, inputs) {
  const folders = inputs.flatMap(
    (input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0] ?? [],
  );
  return [...new Set(folders)]
    .sort()
    .map((folder) => licenseOf(join(repository, folder)))
    .join(`\n\n${'-'.repeat(80)}\n\n`);
}

/** @param {string} folder */
function licenseOf(folder) {
  /** @type {{ name: string, version: string, license?: string }} */
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
  return `${name} ${version} (${license ?? 'see below'})\n\n${text}`.trim();
}
