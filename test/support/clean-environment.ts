/**
 * Runs in each worker before its tests: a server or a default that a developer has set up must neither be reached nor
 * change an answer.
 */
for (const name of Object.keys(process.env)) {
  if (/^(REDIS|VALKEY|MASTRA)_/i.test(name)) delete process.env[name];
}
