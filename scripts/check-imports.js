/**
 * Checks the directions of imports in `src` by dependency-cruiser and the rules in `.dependency-cruiser.mjs`. Fails
 * also when it did not look at every source: with an unknown compiler dependency-cruiser sees nothing and is content.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import { directions, startUp } from '../.dependency-cruiser.mjs';
import { isMain } from './is-main.js';

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));

/**
 * What is wrong, a line each as `rule: from → to`, and how much was looked at.
 *
 * @param {string} [repository] the folder with `src` in it
 */
export async function checkImports(repository = REPOSITORY) {
  const all = await look(repository, { ruleSet: directions, tsPreCompilationDeps: true });
  const starting = await look(repository, { ruleSet: startUp, exclude: { dynamic: true } });
  const seen = new Set(all.modules.map((module) => module.source));
  const imports = all.summary.totalDependenciesCruised ?? 0;
  const violations = [...all.summary.violations, ...starting.summary.violations];
  const problems = [
    ...violations.map(({ rule, from, to }) => `${rule.name}: ${from === to ? from : `${from} → ${to}`}`),
    ...sources(repository)
      .filter((file) => !seen.has(file))
      .map((file) => `not looked at: ${file}`),
    ...(imports === 0 ? ['no import was looked at'] : []),
  ];
  return { files: seen.size, imports, problems: [...new Set(problems)].sort() };
}

/**
 * @param {string} baseDir
 * @param {import('dependency-cruiser').ICruiseOptions} options
 */
async function look(baseDir, options) {
  const { output } = await cruise(['src'], {
    ...options,
    baseDir,
    validate: true,
    doNotFollow: { path: '(^|/)node_modules/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  });
  if (typeof output === 'string') throw new Error(`Expected a cruise result, got: ${output}`);
  return output;
}

/** @param {string} repository */
function sources(repository) {
  return readdirSync(join(repository, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => `src/${file.replaceAll('\\', '/')}`);
}

if (isMain(import.meta.url)) {
  const { files, imports, problems } = await checkImports();
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stdout.write(`${files} files, ${imports} imports, ${problems.length} problems\n`);
  if (problems.length > 0) process.exitCode = 1;
}
