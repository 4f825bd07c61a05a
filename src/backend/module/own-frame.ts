import { fileURLToPath } from 'node:url';

/** A place in a file. */
export interface Frame {
  readonly file: string;
  readonly line: number;
}

/** Where this tool's own code lies, compiled or not. */
const OURS = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The first place in a stack that is the application's: none of ours, of the loader or of Node, and outside of
 * node_modules where there is such a place.
 */
export function firstOwnFrame(error: unknown): Frame | undefined {
  const frames = framesOf(error);
  return frames.find(({ file }) => !/[\\/]node_modules[\\/]/.test(file)) ?? frames[0];
}

function framesOf(error: unknown): readonly Frame[] {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return [];
  return error.stack.split('\n').flatMap((line) => readFrame(line) ?? []);
}

function readFrame(text: string): Frame | undefined {
  const [, place, line] =
    /^\s+at (?:.*? \()?((?:file:\/\/|\/|[a-z]:[\\/]).*?):(\d+)(?::\d+)?\)?$/i.exec(text) ?? [];
  if (place === undefined) return undefined;
  const file = place.startsWith('file://') ? fileURLToPath(place) : place;
  if (file.startsWith(OURS) || /[\\/]node_modules[\\/]jiti[\\/]/.test(file)) return undefined;
  return { file, line: Number(line) };
}
