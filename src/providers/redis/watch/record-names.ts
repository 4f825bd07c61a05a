import { Buffer } from 'node:buffer';
import type { Lease } from '../../../lease/inspector.js';
import { hexOfId, leaseId } from '../../../lease/lease-id.js';
import { leaseRecordPrefix } from '../keys.js';
import { decodeKey } from '../replies.js';

/** The names of lease records under one prefix, and the ids of the leases in them. */
export class RecordNames {
  readonly prefix: string;
  readonly #bytes: Buffer;

  constructor(keyPrefix: string) {
    this.prefix = leaseRecordPrefix(keyPrefix);
    this.#bytes = Buffer.from(this.prefix);
  }

  /** The id of the lease in a record; `undefined` when the record is not under the prefix. */
  idOf(record: Buffer): string | undefined {
    const { length } = this.#bytes;
    return record.subarray(0, length).equals(this.#bytes)
      ? leaseId(decodeKey(record.subarray(length)))
      : undefined;
  }

  recordOf(id: string): string | Buffer {
    const hex = hexOfId(id);
    return hex === undefined ? this.prefix + id : Buffer.concat([this.#bytes, Buffer.from(hex, 'hex')]);
  }

  keyOf(id: string): Pick<Lease, 'key' | 'keyHex'> {
    const hex = hexOfId(id);
    return hex === undefined ? { key: id } : decodeKey(Buffer.from(hex, 'hex'));
  }
}
