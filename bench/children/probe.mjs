// Pings a server over and over, until its stdin ends; then prints the milliseconds that each took. Argument: port.
import { connect } from 'node:net';

const socket = connect(Number(process.argv[2]), '127.0.0.1');
socket.setNoDelay(true);
/** @type {number[]} */
const times = [];
let sentMs = 0;
let isOver = false;
const ping = () => {
  sentMs = performance.now();
  socket.write('*1\r\n$4\r\nPING\r\n');
};
socket.once('connect', ping);
socket.on('data', () => {
  times.push(performance.now() - sentMs);
  if (isOver) {
    process.stdout.write(`${times.join('\n')}\n`);
    socket.destroy();
  } else {
    setTimeout(ping, 1);
  }
});
process.stdin.resume().once('end', () => {
  isOver = true;
});
