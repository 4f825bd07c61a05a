import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * Keeps `import.meta.url` what it is in the compiled module, in `dist`: what is found from there is there.
 *
 * @param {string} repository
 * @param {string} folder where the bundle goes, in the repository
 * @returns {import('esbuild').Plugin}
 */
export function placesOf(repository, folder) {
  const sources = join(repository, 'src');
  return {
    name: 'places',
    setup(build) {
      build.onLoad({ filter: /[\\/]src[\\/].*\.tsx?$/ }, ({ path }) => {
        const text = path.startsWith(sources) ? readFileSync(path, 'utf8') : '';
        if (!text.includes('import.meta.url')) return undefined;
        const compiled = join(repository, 'dist', relative(sources, path)).replace(/\.tsx?$/, '.js');
        const place = relative(join(repository, folder), compiled).replaceAll('\\', '/');
        const url = `process.getBuiltinModule('node:url').pathToFileURL(\`\${__dirname}/${place}\`).href`;
        return {
          contents: text.replaceAll('import.meta.url', url),
          loader: path.endsWith('x') ? 'tsx' : 'ts',
        };
      });
    },
  };
}
