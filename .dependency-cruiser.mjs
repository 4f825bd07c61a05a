/** Which way imports may go, folder by folder and package by package. `scripts/check-imports.js` runs these rules. */

const KNOWN = '^src/(index\\.ts$|(lease|providers|backend|operations|conformance|cli|output|tui)/)';

/** What each folder may import of ours, besides itself. `index.ts` and `cli` are not listed: see the rules below. */
const MAY_IMPORT = {
  lease: [],
  backend: ['providers', 'lease'],
  operations: ['lease'],
  conformance: ['lease'],
  tui: ['operations', 'output', 'lease'],
};

/** The only folders in which these packages may be imported. */
const MAY_IMPORT_PACKAGES = {
  'providers/redis': 'ioredis|cluster-key-slot',
  'providers/sqlite': 'node:sqlite|sqlite',
  backend: 'jiti|zod|lilconfig|dotenv|get-tsconfig',
  cli: 'commander|@inquirer/[^/]+|@bomb\\.sh/[^/]+|yocto-spinner',
  'output|cli': 'chalk|cli-table3',
  'output|tui': 'string-width',
  tui: 'ink|ink-[^/]+|@inkjs/[^/]+|react',
};

/**
 * A package by its name, installed or not.
 *
 * @param {string} names
 */
function npm(names) {
  return `(^|(^|/)node_modules/)(${names})(/|$)`;
}

/**
 * @param {string} name
 * @param {string} comment
 * @param {import('dependency-cruiser').IRegularForbiddenRuleType['from']} from
 * @param {import('dependency-cruiser').IRegularForbiddenRuleType['to']} to
 * @returns {import('dependency-cruiser').IForbiddenRuleType}
 */
function forbid(name, comment, from, to) {
  return { name, comment, severity: 'error', from, to };
}

const folderRules = Object.entries(MAY_IMPORT).map(([folder, allowed]) =>
  forbid(
    `${folder}-directions`,
    `${folder} imports of ours: ${allowed.join(', ') || 'nothing'}`,
    { path: `^src/${folder}/` },
    { path: '^src/', pathNot: `^src/(${[folder, ...allowed].join('|')})/` },
  ),
);

const packageRules = Object.entries(MAY_IMPORT_PACKAGES).map(([home, packages]) =>
  forbid(
    `only-in:${home}`,
    `${packages}: only in ${home}`,
    { path: '^src/', pathNot: `^src/(${home})/` },
    { path: npm(packages) },
  ),
);

/**
 * What is loaded before a command is known. Checked on imports that are neither types nor `import()`.
 *
 * @type {import('dependency-cruiser').IFlattenedRuleSet}
 */
export const startUp = {
  forbidden: [
    {
      name: 'starts-light',
      comment: 'nothing heavy is loaded before a command needs it',
      severity: 'error',
      from: { path: '^src/(cli/main|index)\\.ts$' },
      to: {
        path: npm(
          'ioredis|node:sqlite|sqlite|jiti|zod|lilconfig|dotenv|get-tsconfig|@inquirer/[^/]+|ink|react',
        ),
        reachable: true,
      },
    },
  ],
};

/** @type {import('dependency-cruiser').IFlattenedRuleSet} */
export const directions = {
  forbidden: [
    ...folderRules,
    ...packageRules,
    forbid(
      'providers-directions',
      'a provider imports of ours: lease, and never another provider',
      { path: '^src/providers/([^/.]+)' },
      { path: '^src/', pathNot: '^src/(lease/|providers/$1[/.])' },
    ),
    forbid(
      'output-directions',
      'output imports of ours: lease, and types of operations',
      { path: '^src/output/' },
      { path: '^src/', pathNot: '^src/(output|lease|operations)/' },
    ),
    forbid(
      'output-takes-types',
      'output takes nothing but types from operations',
      { path: '^src/output/' },
      { path: '^src/operations/', dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'library-directions',
      'the library is not the command line tool',
      { path: '^src/index\\.ts$' },
      { path: '^src/(cli|output|tui)/' },
    ),
    forbid('known-folders', 'every folder has its directions here', { path: '^src/', pathNot: KNOWN }, {}),
    forbid('known-folders', 'every folder has its directions here', {}, { path: '^src/', pathNot: KNOWN }),
    forbid(
      'loaded-on-demand',
      'tui and the real backends are reached by import() only',
      { path: '^src/(cli|backend|index)' },
      {
        path: '^src/(tui|providers/(redis|sqlite))/',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    ),
    forbid(
      'src-stands-alone',
      'src imports src and the packages it depends on',
      { path: '^src/' },
      { path: '^(test|scripts|examples|bench|bin|dist)/' },
    ),
    forbid(
      'known-packages',
      'every package has its folders here',
      { path: '^src/' },
      {
        dependencyTypes: ['npm', 'npm-optional', 'npm-peer'],
        pathNot: npm(Object.values(MAY_IMPORT_PACKAGES).join('|')),
      },
    ),
    forbid(
      'real-dependencies',
      'what src imports is a dependency of the package',
      { path: '^src/' },
      { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'npm-bundled'] },
    ),
    forbid('resolvable', 'what is imported exists', {}, { couldNotResolve: true }),
    forbid('no-cycles', 'imports never go round', {}, { circular: true }),
    forbid(
      'no-orphans',
      'every file is used',
      { orphan: true, path: '^src/', pathNot: '^src/index\\.ts$|\\.d\\.ts$' },
      {},
    ),
  ],
};
