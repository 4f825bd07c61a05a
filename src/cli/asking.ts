import type { LocatedBackend } from '../backend/locate.js';
import type { BackendSource } from '../lease/backend.js';
import { escapeText } from '../lease/text.js';
import { placeText } from '../output/source-text.js';
import type { Printer } from './printer.js';

/** Shows with each call that the backend is asked: before the first one keys may still be typed on the terminal. */
export class Asking {
  readonly #printer: Printer;
  #source: (() => BackendSource) | undefined;

  constructor(printer: Printer) {
    this.#printer = printer;
  }

  /** The backend is loaded: from now on it is what is waited for. */
  begin(source: () => BackendSource): void {
    this.#printer.pause();
    this.#source = source;
  }

  tell(): void {
    if (this.#source) tellAsking(this.#printer, this.#source);
  }
}

/** Shows that the backend is asked, where nothing is shown that says more. */
export function tellAsking(printer: Printer, source: () => BackendSource): void {
  printer.stillBusy(() => `asking ${placeText(source())}`);
}

/** Shows that a file of an application is loaded, which may take a second. */
export function tellLoading(printer: Printer, path: string): void {
  printer.busy(() => `loading ${escapeText(path)}`);
}

/** The same of a backend that is an application. */
export function tellLoadingBackend(printer: Printer, { spec }: LocatedBackend): void {
  if (spec.kind === 'module') tellLoading(printer, spec.path);
  if (spec.kind === 'mastra') tellLoading(printer, spec.entry);
}
