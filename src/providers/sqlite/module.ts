type SqliteModule = typeof import('node:sqlite');

let loading: Promise<SqliteModule> | undefined;

/** Loads `node:sqlite` once, without the ExperimentalWarning that Node 22 prints for it. */
export function loadSqlite(): Promise<SqliteModule> {
  loading ??= importWithoutItsWarning();
  return loading;
}

/** Every other warning that is emitted while the import runs goes where it would have gone. */
async function importWithoutItsWarning(): Promise<SqliteModule> {
  const { emitWarning } = process;
  const filter = (warning: string | Error, ...rest: unknown[]): void => {
    if (!isSqliteExperimental(warning, rest[0])) Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  process.emitWarning = filter;
  try {
    return await import('node:sqlite');
  } finally {
    if (process.emitWarning === filter) process.emitWarning = emitWarning;
  }
}

function isSqliteExperimental(warning: string | Error, type: unknown): boolean {
  return type === 'ExperimentalWarning' && typeof warning === 'string' && /\bSQLite\b/.test(warning);
}
