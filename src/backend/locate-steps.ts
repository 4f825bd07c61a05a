/** The steps of the search for a backend, in their order. */
export const STEPS = [
  '--backend',
  '--context',
  'MASTRA_LEASE_BACKEND',
  'MASTRA_LEASE_CONTEXT',
  'config',
  'mastra project',
  'REDIS_URL',
  'VALKEY_URL',
  'default',
] as const;

/** One step of {@link STEPS}. */
export type StepName = (typeof STEPS)[number];

/** A step of the search: taken, or passed over, and why. Holds no secret. */
export interface Step {
  readonly step: StepName;
  readonly taken: boolean;
  readonly why: string;
}

/** Notes what the search did. */
export class StepLog {
  readonly #steps: Step[] = [];
  readonly #onStep: (step: Step) => void;

  constructor(onStep: (step: Step) => void = () => {}) {
    this.#onStep = onStep;
  }

  pass(step: StepName, why: string): void {
    this.#note({ step, taken: false, why });
  }

  /** Notes the step that was taken, and that those after it were not looked at. */
  take(step: StepName, why: string): readonly Step[] {
    this.#note({ step, taken: true, why });
    for (const later of STEPS.slice(STEPS.indexOf(step) + 1)) this.pass(later, `${step} comes first`);
    return this.#steps;
  }

  #note(step: Step): void {
    this.#steps.push(step);
    this.#onStep(step);
  }
}
