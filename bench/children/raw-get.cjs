// The least that a Node script can do: one GET over a socket of its own. Arguments: port, key, and a CA file for TLS.
const { readFileSync } = require('node:fs');

const [, , port, key = '', ca] = process.argv;
const place = { port: Number(port), host: '127.0.0.1' };
const ask = () => socket.write(`*2\r\n$3\r\nGET\r\n$${Buffer.byteLength(key)}\r\n${key}\r\n`);
const socket = ca
  ? require('node:tls').connect({ ...place, ca: readFileSync(ca), servername: 'localhost' }, ask)
  : require('node:net').connect(place, ask);
socket.once('data', (reply) => {
  process.stdout.write(`${String(reply).split('\r\n')[1]}\n`);
  socket.destroy();
});
