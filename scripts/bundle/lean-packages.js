/**
 * What stands in the program for parts of packages that it never uses, and would pay for at every start: by the path in
 * `node_modules`, with why it can go. The library is not touched by this.
 *
 * @type {Readonly<Record<string, string>>}
 */
const STAND_INS = {
  // A table of 100 kB to make a method of every command. Ours are sent as commands; ioredis itself calls these.
  '@ioredis/commands/built/index.js': `
    exports.list = ['auth', 'client', 'hello', 'info', 'psubscribe', 'quit', 'readonly', 'select', 'ssubscribe', 'subscribe'];
    exports.exists = () => false;
    exports.hasFlag = () => false;
    exports.getKeyIndexes = () => [];`,
  // Our client follows redirections and asks the Sentinels itself.
  'ioredis/built/cluster/index.js': 'exports.default = class Cluster {};',
  'ioredis/built/connectors/SentinelConnector/index.js': `
    exports.default = class SentinelConnector {};
    exports.SentinelIterator = class SentinelIterator {};`,
  // Commands are written together by our connection.
  'ioredis/built/Pipeline.js': 'exports.default = class Pipeline {};',
  'ioredis/built/ScanStream.js': 'exports.default = class ScanStream {};',
  'ioredis/built/autoPipelining.js': 'exports.shouldUseAutoPipelining = () => false;',
  'ioredis/built/transaction.js': 'exports.addTransactionSupport = () => {};',
  'ioredis/built/Script.js': 'exports.default = class Script {};',
  // Field sets of hashes.
  'ioredis/built/himport/HimportCoordinator.js': `
    exports.hasHimportCoordinator = Symbol('hasHimportCoordinator');
    exports.cloneHimportFieldsets = exports.getHimportBinding = () => undefined;
    exports.isInternalHimportCommand = () => false;`,
  // Certificates of a vendor's cloud, by the name of a profile.
  'ioredis/built/constants/TLSProfiles.js': 'exports.default = {};',
  // It asks the terminal and the system what they can show; ours is told.
  'chalk/source/vendor/supports-color/index.js': 'export default { stdout: false, stderr: false };',
  // What it would tell under DEBUG has keys, owners and passwords in it.
  'ioredis/built/utils/debug.js': `
    const debug = Object.assign(() => {}, { enabled: false });
    exports.default = () => debug;`,
};

/**
 * Puts the stand-ins in place. A package that is laid out in another way than when this was written stops the build.
 *
 * @returns {import('esbuild').Plugin}
 */
export function leanPackages() {
  return {
    name: 'lean-packages',
    setup(build) {
      const used = new Set();
      build.onLoad({ filter: /[\\/]node_modules[\\/](@?ioredis|chalk)[\\/]/ }, ({ path }) => {
        const inPackage = path.replaceAll('\\', '/').split('/node_modules/').at(-1) ?? '';
        const contents = STAND_INS[inPackage];
        if (contents === undefined) return undefined;
        used.add(inPackage);
        return { contents, loader: 'js' };
      });
      // To import all of a module of Node, esbuild copies it name by name: 0.4 ms for those of commander.
      build.onResolve({ filter: /^node:(fs|path|process)$/ }, ({ path, importer }) =>
        /[\\/]node_modules[\\/]commander[\\/]/.test(importer)
          ? { path, namespace: 'whole-builtin' }
          : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: 'whole-builtin' }, ({ path }) => ({
        contents: `export default process.getBuiltinModule('${path}');`,
      }));
      build.onEnd(() => {
        const missing = Object.keys(STAND_INS).filter((path) => !used.has(path));
        return {
          errors: missing.map((path) => ({
            text: `Expected ${path} in the program: is it named otherwise now?`,
          })),
        };
      });
    },
  };
}
