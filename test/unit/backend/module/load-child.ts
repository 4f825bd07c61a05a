/** A process of its own that loads one module. It runs the built loader, since Node does not map `.js` to `.ts`. */
import { setImmediate } from 'node:timers/promises';
import type { LoadResult, LoadTask } from './load-task.js';

const dist = new URL('../../../../dist/', import.meta.url).href;
const { createModuleLoader }: typeof import('../../../../src/backend/module/load-module.js') = await import(
  `${dist}backend/module/load-module.js`
);
const { loadApplication }: typeof import('../../../../src/backend/module/application.js') = await import(
  `${dist}backend/module/application.js`
);
const { isLeaseProvider }: typeof import('../../../../src/lease/detect.js') = await import(
  `${dist}lease/detect.js`
);

const task: LoadTask = JSON.parse(process.argv[2] ?? '');
const rejections: string[] = [];
process.on('unhandledRejection', (reason) =>
  rejections.push(reason instanceof Error ? reason.message : String(reason)),
);

const host = { env: process.env, cacheDir: task.cacheDir };
const deadlineMs = task.deadlineMs ?? 15_000;
const seen = await look().catch((error: unknown) => ({ error: describe(error) }));
// Node tells of a rejection only now.
await setImmediate();
const variables = Object.fromEntries((task.variables ?? []).map((name) => [name, process.env[name] ?? null]));
const result: LoadResult = { ...seen, variables, rejections };
// The fixture may have left something open.
process.send?.(result, () => process.exit());

async function look(): Promise<Omit<LoadResult, 'rejections'>> {
  if (task.only === 'load') {
    const exports = await createModuleLoader(host)(task.path, { deadlineMs });
    return { exports: Object.keys(exports).sort(), values: tellable(exports) };
  }
  const { backend, path, envFiles } = await loadApplication(
    task.kind === 'mastra'
      ? { kind: 'mastra', entry: task.path, root: task.root ?? '' }
      : { kind: 'module', path: task.path, exportName: task.exportName },
    host,
    { envFile: task.envFile, deadlineMs },
  );
  const provider = isLeaseProvider(backend) ? backend : undefined;
  return {
    path,
    envFiles,
    className: Object(backend).constructor.name,
    label: Object(backend).label,
    acquired: await provider?.acquireLease('key-1', 'owner-1', 60_000),
    owner: await provider?.getLeaseOwner('key-1'),
  };
}

function tellable(exports: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(exports).filter(([, value]) => value !== undefined && typeof value !== 'function'),
  );
}

function describe(error: unknown): NonNullable<LoadResult['error']> {
  if (!(error instanceof Error)) throw error;
  const { message, stack = '' } = error;
  const code = 'code' in error ? error.code : undefined;
  const remedy = 'remedy' in error && typeof error.remedy === 'string' ? { remedy: error.remedy } : {};
  return { code, message, stack, ...remedy };
}
