import { describe, expect, it } from 'vitest';
import { findConfigs } from '../../../../src/backend/config/find-config.js';
import { selectContext } from '../../../../src/backend/config/select-context.js';
import { createModuleLoader } from '../../../../src/backend/module/load-module.js';
import { failureOf, makeProject } from './project.js';

const loadModule = createModuleLoader({ cacheDir: undefined });

describe('a config in TypeScript', () => {
  it.each([
    'app/mastra-lease.config.ts',
    'app/mastra-lease.config.mts',
    'home/.config/mastra-lease/config.ts',
  ])('is run as the project’s other modules are: %s', async (file) => {
    await using project = await makeProject();
    const folder = file.slice(0, file.lastIndexOf('/'));
    await project.write(
      `${folder}/servers.ts`,
      'export enum Server { Prod = "rediss://cache:6380" }\nexport const prefix: string = "mastra:app";',
    );
    const path = await project.write(
      file,
      `import { prefix, Server } from './servers.js';
         const token = async (): Promise<string> => 'fresh';
         export default {
           contexts: { prod: { backend: Server.Prod, keyPrefix: prefix, password: token } },
         } satisfies object;`,
    );
    const configs = await findConfigs({ ...project.options, loadModule });
    const { password, ...prod } = selectContext(configs, 'prod');
    expect(prod).toEqual({
      backend: 'rediss://cache:6380',
      keyPrefix: 'mastra:app',
      context: 'prod',
      path,
      origin: file.startsWith('home') ? 'user' : 'project',
    });
    expect(typeof password === 'function' && (await password())).toBe('fresh');
  });

  it.each([
    ['export default {\n  backend: "local"\n  readOnly: true\n};', 'mastra-lease.config.ts'],
    ['import { x } from "./not-there.js";\nexport default { backend: x };', 'not-there'],
    ['throw new Error("no redis://ops:s3cr3t@cache");', 'redis://…@cache'],
    ['export default { backnd: "local" };', 'backnd: unknown field, did you mean backend?'],
  ])('that does not load is refused in one line: %j', async (content, expected) => {
    await using project = await makeProject();
    const path = await project.write('app/mastra-lease.config.ts', content);
    const message = await failureOf(findConfigs({ ...project.options, loadModule }));
    expect(message).toContain(path);
    expect(message).toContain(expected);
    expect(message).not.toContain('s3cr3t');
  });
});
