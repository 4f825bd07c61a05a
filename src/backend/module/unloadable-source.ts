/** A source that cannot be compiled here. The message names it: nothing is to be added. */
export class UnloadableSource extends Error {
  /** What to try instead, as one line. */
  readonly remedy: string | undefined;

  constructor(message: string, remedy?: string) {
    super(message);
    this.remedy = remedy;
  }
}
