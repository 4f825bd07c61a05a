/** Wakes the one who waits for it. A ring that nobody waits for is kept, and several are one. */
export class Bell {
  #hasRung = false;
  #wake: (() => void) | undefined;

  readonly ring = (): void => {
    this.#hasRung = true;
    this.#wake?.();
  };

  /** Resolves at the next ring; at once when it rang since the last time, or when `atMostMs` milliseconds are over. */
  async heard(atMostMs?: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    if (!this.#hasRung) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (atMostMs !== undefined) timer = setTimeout(resolve, Math.ceil(atMostMs));
      });
    }
    clearTimeout(timer);
    this.#wake = undefined;
    this.#hasRung = false;
  }
}
