import type { RecordedCall } from './call.js';

/** A call threw where the contract has an answer. Whether that is the provider's fault is for the run to find out. */
export class CallFailure extends Error {
  readonly call: RecordedCall;

  constructor(call: RecordedCall) {
    super(call.failure ?? 'it failed');
    this.call = call;
  }
}
