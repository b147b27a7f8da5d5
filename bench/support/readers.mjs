// Readers that keep a server busy, started by bench/readers.ts: subscribers that replay all events again and again, and
// loops of list queries. They count, and keep nothing.
import { Agent, request } from 'node:http';

const counts = { events: 0, replays: 0, lists: 0, refused: 0 };

process.once('message', ({ url, token, subscribers, loops, events, subscription, query }) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const agent = new Agent({ keepAlive: true, maxSockets: loops });

  const replay = () => {
    const body = JSON.stringify({ query: subscription });
    const sent = request(
      url,
      {
        method: 'POST',
        agent: false,
        headers: { ...headers, accept: 'text/event-stream', 'content-length': body.length },
      },
      (response) => {
        let received = 0;
        response.on('data', (chunk) => {
          // Each event has one line that begins with its number; a line is seldom cut in two.
          const found = chunk.toString('latin1').split('\nevent: next').length - 1;
          received += found;
          counts.events += found;
          if (received < events) return;
          counts.replays += 1;
          sent.destroy();
        });
        response.on('error', () => {});
        response.on('close', () => setImmediate(replay));
      },
    );
    sent.on('error', () => {});
    sent.end(body);
  };

  const list = () => {
    const body = JSON.stringify({ query });
    const sent = request(
      url,
      { method: 'POST', agent, headers: { ...headers, 'content-length': body.length } },
      (response) => {
        if (response.statusCode === 200) counts.lists += 1;
        else counts.refused += 1;
        response.resume();
        response.on('end', () => setImmediate(list));
      },
    );
    sent.on('error', () => setTimeout(list, 100));
    sent.end(body);
  };

  for (let index = 0; index < subscribers; index += 1) replay();
  for (let index = 0; index < loops; index += 1) list();
  process.on('message', () => process.send(counts));
});
