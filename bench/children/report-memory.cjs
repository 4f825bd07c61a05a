'use strict';
// Preloaded into the program: writes the most memory that it had, in kilobytes, to the file that MEMORY_FILE names.
const { writeFileSync } = require('node:fs');

process.on('exit', () =>
  writeFileSync(process.env.MEMORY_FILE ?? '', String(process.resourceUsage().maxRSS)),
);
