// Subscribers over server-sent events that note how late events are: started by bench/lag.ts. Of what comes together,
// the first event counts, which is the latest.
import { connect } from 'node:net';

const marker = Buffer.from('"at":"');
let lags = [];
let events = 0;

process.once('message', ({ port, count, body, token }) => {
  let begun = 0;
  let open = 0;
  // A few at a time: a queue of connections that is full drops them.
  const next = () => {
    if (begun === count) return;
    begun += 1;
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    socket.once('data', () => {
      open += 1;
      next();
      if (open === count) process.send('open');
      socket.on('data', (chunk) => {
        const found = chunk.indexOf(marker);
        if (found < 0 || chunk.length < found + 30) return;
        lags.push(Date.now() - Date.parse(chunk.latin1Slice(found + 6, found + 30)));
        for (let at = found; at >= 0; at = chunk.indexOf(marker, at + 6)) events += 1;
      });
    });
    socket.on('error', (error) => {
      throw error;
    });
  };
  for (let index = 0; index < 100; index += 1) next();
  process.on('message', () => {
    lags.sort((a, b) => a - b);
    const quantile = (part) => lags[Math.min(lags.length - 1, Math.floor(part * lags.length))] ?? null;
    process.send({ events, p50: quantile(0.5), p99: quantile(0.99), max: quantile(1) });
    lags = [];
    events = 0;
  });
});
