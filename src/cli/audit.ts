import { closeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { BackendConfig } from '../backend/config/define-config.js';
import type { BackendSource } from '../lease/backend.js';
import type { WriteLog, WriteRecord } from '../operations/write-log.js';
import { type AuditEntry, auditJson, auditText, outcomeWord } from '../output/audit.js';
import { printable } from '../output/printable.js';
import { appendLine, fileErrorCode, openForAppending } from './append-line.js';
import type { CliIo } from './io.js';
import type { AuditOptions } from './options.js';
import type { Printer } from './printer.js';
import { UsageError } from './usage-error.js';

/**
 * Who wrote what, when and why: a line on stderr for each change and, where a file was named, one of NDJSON for each write. It is
 * appended whole, so that several processes can share the file. It holds keys and owners, no secret; a file that is made
 * is its owner's alone.
 */
export class Audit implements Disposable {
  readonly #file: { readonly path: string; readonly fd: number } | undefined;
  readonly #io: CliIo;
  readonly #printer: Printer;
  readonly #reason: string | undefined;
  readonly #source: () => BackendSource;

  /**
   * The file is named by the flag, the variable, else the config.
   *
   * @throws {@link UsageError} when it cannot be appended to: then nothing may be sent.
   */
  constructor(
    io: CliIo,
    printer: Printer,
    { auditFile, reason }: AuditOptions,
    config: BackendConfig,
    source: () => BackendSource,
  ) {
    this.#io = io;
    this.#printer = printer;
    this.#reason = reason;
    this.#source = source;
    const variable = io.env.MASTRA_LEASE_AUDIT_FILE || undefined;
    if (auditFile !== undefined) this.#file = openFile(resolve(io.cwd(), auditFile), '--audit-file');
    else if (variable !== undefined)
      this.#file = openFile(resolve(io.cwd(), variable), 'MASTRA_LEASE_AUDIT_FILE');
    else if (config.auditFile !== undefined)
      this.#file = openFile(config.auditFile, 'auditFile of the config');
  }

  /** Keeps a write, and tells on stderr of one that changed something or may have. */
  readonly tell: WriteLog = async (record) => {
    const entry = this.#entry(record);
    if (['done', 'unknown'].includes(outcomeWord(entry))) await this.#printer.talk(auditText(entry));
    await this.#append(entry);
  };

  /** Keeps a write without a word: for a screen, which shows its writes itself. */
  readonly keep: WriteLog = async (record) => {
    await this.#append(this.#entry(record));
  };

  [Symbol.dispose](): void {
    if (this.#file) closeSync(this.#file.fd);
  }

  #entry(record: WriteRecord): AuditEntry {
    const { user, host } = this.#io.identity();
    const reason = this.#reason;
    return { ...record, user, host, reason, atMs: this.#io.clock.wallMs(), source: this.#source() };
  }

  /** What cannot be kept any more is shown, whatever is quiet: the write was sent. */
  async #append(entry: AuditEntry): Promise<void> {
    if (!this.#file) return;
    const line = JSON.stringify(auditJson(entry));
    try {
      appendLine(this.#file.fd, line);
    } catch (error) {
      const { path } = this.#file;
      await this.#printer.warn(
        `${printable(path)} could not be written (${fileErrorCode(error)}): ${line}`,
        true,
      );
    }
  }
}

function openFile(path: string, setting: string) {
  try {
    return { path, fd: openForAppending(path) };
  } catch (error) {
    throw new UsageError(
      `Expected a file that can be appended to as ${setting}, got ${printable(path)}: ${fileErrorCode(error)}; nothing was sent`,
    );
  }
}
