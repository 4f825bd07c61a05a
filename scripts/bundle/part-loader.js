/**
 * Runs the parts of the program, each when it is first asked for. The text of this function goes into the file that is
 * started, where nothing else is in reach.
 *
 * @typedef {{ exports: unknown }} Part
 * @typedef {(name: string) => unknown} Require
 * @typedef {(name: string) => Promise<object>} Import
 * @typedef {(module: Part, exports: unknown, require: Require, later: (name: string) => Promise<unknown>, importNow: Import) => void} RunPart
 *
 * @param {Record<string, RunPart>} parts those of the file that is started
 * @param {Readonly<Record<string, string>>} homes the files of the other parts
 * @param {Readonly<Record<string, readonly string[]>>} packages what a part needs before it can run, by its name
 * @param {{ require: Require, import: Import }} node
 */
export function loadParts(parts, homes, packages, node) {
  /** @type {Map<string, Part>} */
  const loaded = new Map();
  /** @type {Map<string, object>} */
  const namespaces = new Map();

  /** @param {string} name */
  function load(name) {
    const known = loaded.get(name);
    if (known) return known.exports;
    const home = homes[name];
    if (home !== undefined && !parts[name]) Object.assign(parts, node.require(home));
    const part = { exports: {} };
    loaded.set(name, part);
    parts[name]?.(part, part.exports, require, later, node.import);
    return part.exports;
  }

  /** @param {string} name */
  function require(name) {
    return name.startsWith('./') ? load(name) : (namespaces.get(name) ?? node.require(name));
  }

  /**
   * A package may be an ES module with an `await` at its top: those of a part are imported before it runs.
   *
   * @param {string} name
   */
  async function later(name) {
    for (const wanted of packages[name] ?? []) {
      if (!namespaces.has(wanted))
        namespaces.set(wanted, { __esModule: true, ...(await node.import(wanted)) });
    }
    return require(name);
  }

  return load;
}
