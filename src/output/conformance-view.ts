/** A clause as it is shown: what the conformance kit reports, structurally. */
export interface ClauseView {
  readonly id: string;
  readonly level: string;
  readonly sentence: string;
  readonly source: string;
  readonly result: 'passed' | 'failed' | 'reported' | 'not shown' | 'skipped';
  readonly durationMs: number;
  readonly note?: string;
  readonly evidence?: {
    readonly expected: string;
    readonly calls: readonly CallView[];
    readonly timeLine: readonly string[];
  };
}

/** A call as it is shown. */
interface CallView {
  readonly client: string;
  readonly method: string;
  readonly args: readonly unknown[];
  readonly startMs: number;
  readonly endMs: number;
  readonly answer?: unknown;
  readonly failure?: string;
}

/** A run as it is shown. */
export interface ConformanceView {
  readonly conforms: boolean;
  readonly level: string;
  readonly require: readonly string[];
  readonly seed: number;
  readonly scratch: string;
  readonly scope: { readonly value: string; readonly by: string };
  readonly traits: { readonly atomicTransfer?: boolean; readonly scope?: string };
  readonly atomicTransfer?: string;
  readonly processes: number;
  readonly clauses: readonly ClauseView[];
  readonly durationMs: number;
}
