/**
 * What the one file has in place of what cannot be in it: a compiler for an application's modules, the screen with all
 * that it is drawn by, processes of its own. Each says so, and what to do.
 */
import { InvalidConfigError } from '../../src/lease/errors.js';

const INSTALLED = 'the installed package can: npx mastra-lease';

export function loadApplication(): never {
  throw leftOut('load an application', `name where its leases live, as --backend redis://…; ${INSTALLED}`);
}

export function createModuleLoader(): never {
  throw leftOut('load a config that is a module', `name the backend by --backend; ${INSTALLED}`);
}

export function examineApplication(): never {
  return loadApplication();
}

export function runTui(): never {
  throw leftOut('draw a screen', `in a pipe it prints what happens: add | cat; ${INSTALLED}`);
}

export class Crew {
  constructor() {
    throw leftOut('start the processes of the demo', INSTALLED);
  }
}

function leftOut(what: string, remedy: string): InvalidConfigError {
  return new InvalidConfigError(`mastra-lease as one file cannot ${what}`, { remedy });
}
