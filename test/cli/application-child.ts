/**
 * An application's own process: it loads the module and calls its provider when it is told to. It runs the built loader,
 * since Node strips types but does not map `.js` imports to `.ts` files.
 */
import type { resolveLeaseProvider } from '../../src/lease/detect.js';
import type { ApplicationAnswer, ApplicationCall } from './application-process.js';

const dist = new URL('../../dist/', import.meta.url).href;
const { loadApplication }: typeof import('../../src/backend/module/application.js') = await import(
  `${dist}backend/module/application.js`
);
const detect: { resolveLeaseProvider: typeof resolveLeaseProvider } = await import(`${dist}lease/detect.js`);

const spec = JSON.parse(process.argv[2] ?? '');
const { backend } = await loadApplication(
  spec,
  { env: process.env, cacheDir: process.argv[3] },
  { deadlineMs: 20_000 },
);
const resolution = detect.resolveLeaseProvider(backend);
if (resolution.kind === 'none') throw new Error('The application has no provider');
const { provider } = resolution;

process.on('disconnect', () => process.exit());
process.on('message', ({ id, method, args }: ApplicationCall) => {
  const call: (...args: readonly unknown[]) => Promise<unknown> = provider[method].bind(provider) as never;
  void call(...args).then(
    (answer) => tell({ id, answer }),
    (error: unknown) => tell({ id, error: String(error) }),
  );
});
tell({ id: 0 });

function tell(answer: ApplicationAnswer): void {
  process.send?.(answer);
}
