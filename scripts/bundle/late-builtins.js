import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Modules of Node that a start need not load: most commands never touch them, or only when the answer is known. */
const LATE = [
  'assert',
  'child_process',
  'crypto',
  'dns',
  'fs/promises',
  'os',
  'stream/consumers',
  'timers/promises',
  'tls',
];

/**
 * Loads these modules when something of theirs is first used. What is neither a function nor an object cannot be put off:
 * to import it from one of them stops the build.
 *
 * @returns {import('esbuild').Plugin}
 */
export function lateBuiltins() {
  return {
    name: 'late-builtins',
    setup(build) {
      build.onResolve({ filter: new RegExp(`^(node:)?(${LATE.join('|')})$`) }, ({ path, kind }) => {
        if (kind === 'dynamic-import') return undefined;
        const namespace = kind === 'require-call' ? 'late-required' : 'late-imported';
        return { path: path.replace('node:', ''), namespace };
      });
      build.onLoad({ filter: /.*/, namespace: 'late-required' }, ({ path }) => ({
        contents: required(path),
      }));
      build.onLoad({ filter: /.*/, namespace: 'late-imported' }, ({ path }) => ({
        contents: imported(path),
      }));
    },
  };
}

/** @param {string} name */
function required(name) {
  return `const late = () => process.getBuiltinModule('${name}');
    module.exports = new Proxy(function () {}, {
      get: (_, property) => late()[property],
      apply: (_, self, values) => Reflect.apply(late(), self, values),
    });`;
}

/** @param {string} name */
function imported(name) {
  const exports = Object.entries(require(name)).flatMap(([key, value]) => {
    if (typeof value === 'function') {
      return [
        `export function ${key}(...values) {
          return new.target ? Reflect.construct(late().${key}, values) : late().${key}(...values);
        }`,
      ];
    }
    return typeof value === 'object' && value !== null
      ? [
          `export const ${key} = /* @__PURE__ */ new Proxy({}, { get: (_, property) => late().${key}[property] });`,
        ]
      : [];
  });
  return `const late = () => process.getBuiltinModule('${name}');
    ${exports.join('\n')}
    export default /* @__PURE__ */ new Proxy({}, { get: (_, property) => late()[property] });`;
}
