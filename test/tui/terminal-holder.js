/**
 * Holds a pseudo-terminal, in which a program runs, until it is killed: then that terminal is gone. Arguments: a file that
 * gets the program's exit code, and the program with its own.
 */
import { spawn } from '@lydell/node-pty';

const [exitFile = '', ...command] = process.argv.slice(2);
const script = 'trap "" HUP; "$@"; echo $? > "$0"';
const terminal = spawn('/bin/sh', ['-c', script, exitFile, ...command], { cols: 100, rows: 30 });
terminal.onData((text) => process.stdout.write(text));
