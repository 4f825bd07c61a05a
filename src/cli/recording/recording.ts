import { closeSync, openSync, unlinkSync } from 'node:fs';
import type { BackendSource } from '../../lease/backend.js';
import type { WatchEvent } from '../../operations/watch-event.js';
import type { JsonObject } from '../../output/json.js';
import { printable } from '../../output/printable.js';
import { eventJson, recordingHeadJson } from '../../output/watch-json.js';
import { fileErrorCode, writeLine } from '../append-line.js';
import { UsageError } from '../usage-error.js';
import { version } from '../version.js';

/** What a recording is made of beside its events. */
export interface RecordingOptions {
  readonly source: () => BackendSource;
  readonly wallMs: () => number;
  /** Told once when the file cannot be written any more; the watch itself goes on. */
  readonly onFailure: (problem: string) => void;
}

/**
 * A file that is written while a watch goes on: a head, then every event as the stream prints it. Each is with the
 * system before the next is looked at, so that what ends this process takes nothing of it along. It holds keys, owners
 * and times: no message text and no secret. Only its owner may read it.
 */
export class Recording implements Disposable {
  readonly path: string;
  readonly #options: RecordingOptions;
  readonly #fd: number;
  #hasBegun = false;
  #problem: string | undefined;

  /** Makes the file. @throws {@link UsageError} when there is one already, or none can be made. */
  constructor(path: string, options: RecordingOptions) {
    this.path = path;
    this.#options = options;
    try {
      this.#fd = openSync(path, 'wx', 0o600);
    } catch (error) {
      const code = fileErrorCode(error);
      const why = code === 'EEXIST' ? 'there is one already, and nothing is overwritten' : code;
      throw new UsageError(`Expected a file that can be made after --record, got ${printable(path)}: ${why}`);
    }
  }

  /** Why it could not be written to its end. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Passes events on, each once it is written. */
  async *record(events: AsyncIterable<WatchEvent>): AsyncGenerator<WatchEvent, void, undefined> {
    for await (const event of events) {
      this.#add(event);
      yield event;
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
    if (!this.#hasBegun) unlinkSync(this.path);
  }

  #add(event: WatchEvent): void {
    if (this.#problem !== undefined) return;
    const { source, wallMs, onFailure } = this.#options;
    try {
      if (!this.#hasBegun) this.#write(recordingHeadJson(version, wallMs(), source()));
      this.#hasBegun = true;
      for (const line of eventJson(event, source())) this.#write(line);
    } catch (error) {
      this.#problem = `The recording ${printable(this.path)} ends early: ${fileErrorCode(error)}`;
      onFailure(this.#problem);
    }
  }

  #write(line: JsonObject): void {
    writeLine(this.#fd, JSON.stringify(line));
  }
}
