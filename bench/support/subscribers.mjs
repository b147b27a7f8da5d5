// Subscribers over server-sent events that read and forget: started by bench/fan-out.ts.
import { connect } from 'node:net';

process.once('message', ({ port, count, bodies, token }) => {
  let open = 0;
  for (let index = 0; index < count; index += 1) {
    const body = bodies[index % bodies.length];
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    socket.once('data', () => {
      open += 1;
      if (open === count) process.send('open');
    });
    socket.resume();
    socket.on('error', () => {});
  }
});
