import { closeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { BackendConfig } from '../backend/config/define-config.js';
import type { BackendSource } from '../lease/backend.js';
import type { WriteEnd, WriteIntent, WriteLog } from '../operations/write-log.js';
import { type AuditEntry, auditJson, auditText, unansweredText } from '../output/audit.js';
import { printable } from '../output/printable.js';
import { appendLine, fileErrorCode, openForAppending } from './append-line.js';
import type { CliIo } from './io.js';
import type { AuditOptions } from './options.js';
import type { Printer } from './printer.js';
import { UsageError } from './usage-error.js';

/**
 * Who wrote what, when and why: a line on stderr for each change and, where a file was named, one of NDJSON for each write.
 * It is appended whole, so that several processes can share the file, and the file is opened anew each time, since it may
 * have been rotated. It holds keys and owners, no secret; a file that is made is its owner's alone.
 */
export class Audit {
  readonly #path: string | undefined;
  readonly #io: CliIo;
  readonly #printer: Printer;
  readonly #reason: string | undefined;
  readonly #source: () => BackendSource;
  /** Sent, or about to be, and not answered. */
  readonly #open = new Set<WriteIntent>();
  readonly #kept: AuditEntry[] = [];

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
    if (auditFile !== undefined) this.#path = tryFile(resolve(io.cwd(), auditFile), '--audit-file');
    else if (variable !== undefined)
      this.#path = tryFile(resolve(io.cwd(), variable), 'MASTRA_LEASE_AUDIT_FILE');
    else if (config.auditFile !== undefined)
      this.#path = tryFile(config.auditFile, 'auditFile of the config');
  }

  /** Whether a write was sent, or was about to be, and nothing is known of it yet. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Keeps a write, and tells on stderr of one that changed something or may have. */
  readonly tell: WriteLog = (write) => this.#begin(write, (entry) => this.#tell(entry));

  /** Keeps a write; it is told by {@link end}, once there is no screen any more, which shows its writes itself. */
  readonly keep: WriteLog = (write) =>
    this.#begin(write, async (entry) => {
      this.#kept.push(entry);
    });

  /** The command is over: what is not told yet is told now, and a write that was not answered is kept as unknown. */
  async end(): Promise<void> {
    for (const entry of this.#kept.splice(0)) await this.#tell(entry);
    for (const write of this.#open) {
      await this.#printer.warn(unansweredText(write));
      await this.#append(this.#entry(write, { outcome: 'unknown' }));
    }
    this.#open.clear();
  }

  #begin(write: WriteIntent, show: (entry: AuditEntry) => Promise<void>): (end: WriteEnd) => Promise<void> {
    this.#open.add(write);
    return async (end) => {
      if (!this.#open.delete(write)) return;
      const entry = this.#entry(write, end);
      await show(entry);
      await this.#append(entry);
    };
  }

  async #tell(entry: AuditEntry): Promise<void> {
    if (entry.outcome === 'done' || entry.outcome === 'unknown') await this.#printer.talk(auditText(entry));
  }

  #entry(write: WriteIntent, end: WriteEnd): AuditEntry {
    const { user, host } = this.#io.identity();
    const reason = this.#reason;
    return { ...write, ...end, user, host, reason, atMs: this.#io.clock.wallMs(), source: this.#source() };
  }

  /** What cannot be kept any more is shown, whatever is quiet: the write was sent. */
  async #append(entry: AuditEntry): Promise<void> {
    if (this.#path === undefined) return;
    const line = JSON.stringify(auditJson(entry));
    try {
      appendLine(this.#path, line);
    } catch (error) {
      await this.#printer.warn(
        `${printable(this.#path)} could not be written (${fileErrorCode(error)}): ${line}`,
        true,
      );
    }
  }
}

function tryFile(path: string, setting: string): string {
  try {
    closeSync(openForAppending(path));
    return path;
  } catch (error) {
    throw new UsageError(
      `Expected a file that can be appended to as ${setting}, got ${printable(path)}: ${fileErrorCode(error)}; nothing was sent`,
    );
  }
}
