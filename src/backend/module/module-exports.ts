import { createRequire } from 'node:module';
import { types } from 'node:util';

/**
 * The exports of a module that was loaded, as they are: what a loader answers may be a stand-in that binds methods. A
 * CommonJS module's `module.exports` is its `default`, beside the fields of a plain object.
 */
export function exportsOf(file: string, loaded: unknown): Record<string, unknown> {
  const { cache } = createRequire(file);
  const module = cache[file] ?? cache[file.replaceAll('\\', '/')];
  return flatten(module ? module.exports : loaded);
}

function flatten(exports: unknown): Record<string, unknown> {
  if (!isRecord(exports)) return { default: exports };
  if (types.isModuleNamespaceObject(exports)) {
    return 'module.exports' in exports ? flatten(exports['module.exports']) : { ...exports };
  }
  if (exports.__esModule === true) return named(exports);
  const prototype: unknown = Object.getPrototypeOf(exports);
  if (prototype !== Object.prototype && prototype !== null) return { default: exports };
  const fields = named(exports);
  return Object.keys(fields).length === 0 ? {} : { ...fields, default: exports };
}

function named({ __esModule: _, ...exports }: Record<string, unknown>): Record<string, unknown> {
  return exports;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
