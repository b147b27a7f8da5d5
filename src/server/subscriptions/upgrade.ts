/** Upgrade requests other than WebSockets. */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

export function refuseUpgrade(socket: Duplex): void {
  const refusal = 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
  socket.end(refusal, () => socket.destroy());
}

/**
 * Some clients offer HTTP/2 with every request. The offer may be ignored, but Node.js has already detached the
 * connection: it is returned to the server with the request as if there had been no offer.
 */
export function answerWithoutUpgrade(
  server: Server,
  { method, url, rawHeaders }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (!/^(upgrade|connection|http2-settings)$/i.test(name)) lines.push(`${name}: ${rawHeaders[index + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
