/**
 * npm's `prepare`: builds, where it can. Run by `npx mastra-lease` in a clone before `npm ci` (no compiler yet), a
 * failure would leave npx broken for that folder for good: under npx this says what is wrong and ends with 0. Errors
 * end with 1 everywhere else, so that they stop `npm ci` and `npm pack`.
 */
import { build, canBuild } from './build.js';

const underNpx = process.env.npm_command === 'exec';

if (canBuild()) {
  const problem = await whatIsWrong();
  if (problem !== undefined) {
    process.stderr.write(`mastra-lease is not built: ${problem}. Build again with \`npm run build\`.\n`);
    if (!underNpx) process.exitCode = 1;
  }
} else {
  process.stderr.write('mastra-lease is not built: `npm ci` installs the compiler and builds.\n');
}

async function whatIsWrong() {
  try {
    // What is packed is this build and nothing of another.
    return (await build({ keepsOld: false })) === 0 ? undefined : 'it has the errors above';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
