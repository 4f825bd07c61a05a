/**
 * What runs under the lease: it notes in the ledger, on the clock that all processes of the host share, that it is in,
 * that it is still in, that it was told to stop, and that it is out. Arguments: the ledger, its name, how long it works
 * and how long it takes to stop, in milliseconds.
 */
import { openSync, writeSync } from 'node:fs';

const [path = '', name, workMs, stopMs] = process.argv.slice(2);
const ledger = openSync(path, 'a');
const EVERY_MS = 5;

/**
 * One short write to a file opened for appending: lines of different processes do not mix.
 *
 * @param {string} what
 */
function note(what) {
  writeSync(ledger, `${process.hrtime.bigint()} ${name} ${what} ${process.pid}\n`);
}

function leave() {
  note('leave');
  process.exit(0);
}

note('enter');
setInterval(() => note('alive'), EVERY_MS);
process.once('SIGTERM', () => {
  note('told');
  setTimeout(leave, Number(stopMs));
});
setTimeout(leave, Number(workMs));
