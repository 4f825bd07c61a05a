import { spawn } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { makeProject, type Project } from './config/project.js';

const DIST = fileURLToPath(new URL('../../../dist', import.meta.url));

/** Finds a backend with the built program, where each package that it could load throws instead. */
async function locateWithTraps(project: Project, options: object): Promise<string> {
  const dist = join(project.path, 'dist');
  await project.write('dist/package.json', { type: 'module' });
  for (const folder of ['backend', 'lease']) {
    await cp(join(DIST, folder), join(dist, folder), { recursive: true });
  }
  for (const name of ['lilconfig', 'zod', 'jiti', 'ioredis']) {
    await project.write(`dist/node_modules/${name}/index.js`, `throw new Error('${name} was loaded');`);
  }
  const script = `
    const { locateBackend } = await import(${JSON.stringify(pathToFileURL(join(dist, 'backend', 'locate.js')).href)});
    const options = { access: 'write', env: {}, platform: 'linux', ...JSON.parse(process.argv[1]) };
    try {
      const { foundBy } = await locateBackend({ ...options, findMastraEntry: () => undefined });
      console.log(foundBy);
    } catch (error) {
      console.log(error.message);
    }`;
  const { app: cwd, home } = project;
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', script, JSON.stringify({ cwd, home, ...options })],
    { cwd, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  return (await text(child.stdout)).trim();
}

describe('finding a backend', () => {
  it.each([
    ['--backend', { backend: 'redis://cache' }],
    ['--backend', { backend: './backend.mjs' }],
    ['MASTRA_LEASE_BACKEND', { env: { MASTRA_LEASE_BACKEND: 'local' } }],
  ])('that is named (%s) loads no package, config or no config', async (step, options) => {
    await using project = await makeProject();
    await project.write('app/mastra-lease.config.json', { backend: 'local' });
    await project.write('app/backend.mjs', '');
    expect(await locateWithTraps(project, options)).toBe(step);
  });

  it('loads no package either where there is no config', async () => {
    await using project = await makeProject({
      'app/package.json': { devDependencies: { 'mastra-lease': '*' } },
    });
    await mkdir(join(project.app, 'src'));
    const env = { REDIS_URL: 'redis://cache' };
    expect(await locateWithTraps(project, { env })).toBe('REDIS_URL');
    expect(await locateWithTraps(project, { cwd: join(project.app, 'src') })).toBe('default');
  });

  it('loads the finder where there is one: the traps work', async () => {
    await using project = await makeProject();
    await project.write('app/mastra-lease.config.json', { backend: 'local' });
    expect(await locateWithTraps(project, {})).toBe('lilconfig was loaded');
  });
});
