// node docs/examples/subscribe.mjs: prints every event, also across restarts of the server.
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

const server = process.env.LEASEGRAPH_SERVER ?? 'http://127.0.0.1:4000';
const client = createClient({
  url: `${server.replace(/^http/, 'ws')}/graphql`,
  webSocketImpl: WebSocket,
  connectionParams: { authorization: `Bearer ${process.env.LEASEGRAPH_TOKEN}` },
  // Each subscription below begins where the one before ended, so the library need not repeat it.
  retryAttempts: 0,
});

let after = Number(process.argv[2] ?? 0);
for (;;) {
  try {
    const query =
      'subscription ($after: Long) { leaseEvents(after: $after) { sequence at from to lease { number } } }';
    for await (const { data } of client.iterate({ query, variables: { after } })) {
      const event = data.leaseEvents;
      after = event.sequence;
      console.log(`${event.sequence} ${event.at} lease ${event.lease.number}: ${event.from} -> ${event.to}`);
    }
  } catch (error) {
    // 4403: the token is not valid. Anything else passes: the server restarts, or the network is down.
    if (error?.code === 4403) throw new Error('the token is not valid');
    console.error(`No connection to ${server}; trying again.`);
  }
  await new Promise((resolve) => setTimeout(resolve, 1000));
}
