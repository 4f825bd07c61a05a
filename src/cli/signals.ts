import { InterruptedError } from './usage-error.js';

const EXIT_CODE = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Where signals come from: the process, or a test. */
export interface SignalSource {
  once(signal: keyof typeof EXIT_CODE, listener: () => void): unknown;
  off(signal: keyof typeof EXIT_CODE, listener: () => void): unknown;
}

/** Turns the first INT, TERM or HUP into an aborted signal whose reason is an {@link InterruptedError}. */
export function watchInterrupts(source: SignalSource): { readonly signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const listeners = Object.entries(EXIT_CODE).map(([name, code]) => {
    const listener = () => controller.abort(new InterruptedError(name, code));
    source.once(name as keyof typeof EXIT_CODE, listener);
    return { name: name as keyof typeof EXIT_CODE, listener };
  });
  return {
    signal: controller.signal,
    stop: () => {
      for (const { name, listener } of listeners) source.off(name, listener);
    },
  };
}
