import fc from 'fast-check';

/** What every run tries, so that whether it passes is decided by the code alone. */
const DEFAULT_SEED = 20_261_129;

/** Runs in each worker before its tests: the properties try the same cases each time, or those of another `FC_SEED`. */
const { FC_SEED = String(DEFAULT_SEED) } = process.env;
if (!/^-?\d{1,10}$/.test(FC_SEED)) throw new Error(`Expected FC_SEED as a whole number, got "${FC_SEED}"`);

fc.configureGlobal({
  seed: Number(FC_SEED),
  reporter: (run) => {
    if (!run.failed) return;
    const how = `These cases were made from seed ${FC_SEED}; for others: FC_SEED=$RANDOM npx vitest run FILE`;
    throw new Error(`${fc.defaultReportMessage(run)}\n\n${how}`, { cause: run.errorInstance });
  },
});
