/**
 * Writes the API reference, a page for each entry of the package, from the doc comments of its sources into `docs/api`, or
 * into the folder that is named.
 */
import { fileURLToPath } from 'node:url';
import { Application, ReflectionKind } from 'typedoc';
import { load } from 'typedoc-plugin-markdown';

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));

/**
 * The entries: their sources, and the names under which they are imported.
 *
 * @type {Readonly<Record<string, string>>}
 */
const ENTRIES = {
  index: 'mastra-lease',
  'providers/redis': 'mastra-lease/redis',
  'providers/sqlite': 'mastra-lease/sqlite',
  'providers/memory': 'mastra-lease/memory',
  conformance: 'mastra-lease/testing',
};
/** A page each; what other packages have is left out. */
const MARKDOWN = {
  router: 'module',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  propertyMembersFormat: 'table',
};

process.chdir(REPOSITORY);
const out = process.argv[2] ?? 'docs/api';
const app = await Application.bootstrapWithPlugins({
  plugin: [load],
  entryPoints: [
    'src/index.ts',
    'src/providers/redis/index.ts',
    'src/providers/sqlite/index.ts',
    'src/providers/memory.ts',
    'src/conformance/index.ts',
  ],
  sortEntryPoints: false,
  tsconfig: 'tsconfig.build.json',
  name: 'API reference',
  readme: 'none',
  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  disableSources: true,
  validation: { notExported: false, invalidLink: true, notDocumented: false },
  logLevel: 'Warn',
  outputs: [{ name: 'markdown', path: out, options: MARKDOWN }],
});
const project = await app.convert();
if (!project) throw new Error('The sources have errors');
for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
  const name = ENTRIES[module.name];
  if (name === undefined) throw new Error(`Expected one of the entries, got ${module.name}`);
  module.name = name;
}
await app.generateOutputs(project);
if (app.logger.hasErrors()) process.exitCode = 1;
