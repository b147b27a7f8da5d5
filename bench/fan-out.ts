/** Events to a thousand subscribers: processor time of the server per delivery, and memory per idle subscriber. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { openStore } from '../src/store/index.ts';
import { apiOn, lease, now, token } from '../test/api/fixture.ts';
import { startPostgres } from '../test/support/postgres.ts';
import type { Table } from './support/table.ts';

const subscribers = 1_000;
const clientFile = fileURLToPath(new URL('support/subscribers.mjs', import.meta.url));
const selection = (index: number, distinct: number) =>
  `subscription { leaseEvents { sequence at from to a${index % distinct}: sequence lease { number name state } } }`;

export async function fanOutBenchmark(quick: boolean): Promise<Table[]> {
  const postgres = await startPostgres();
  const store = await openStore({ databaseUrl: postgres.url(await postgres.createDatabase()), dataDir: '' });
  const rows: (string | number)[][] = [];
  try {
    await store.prisma.lease.create({ data: lease(1, { state: 'ACTIVE' }) });
    for (const distinct of [1, 100]) rows.push(await measure(store.prisma, distinct, quick ? 40 : 200));
  } finally {
    await store.close();
    await postgres.dispose();
  }
  return [
    {
      title: `${subscribers} subscribers over server-sent events, 20 events/s`,
      columns: ['distinct selections', 'deliveries', 'µs of CPU per delivery', 'KB per idle subscriber'],
      rows,
    },
  ];
}

async function measure(
  prisma: Parameters<typeof apiOn>[0],
  distinct: number,
  events: number,
): Promise<(string | number)[]> {
  const api = apiOn(prisma);
  const server = createServer(api.app.listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  // Everything that is loaded and compiled once is there before.
  const warm = await clientsOf(port, 50, distinct);
  await publish(api, 20);
  warm.kill();
  await once(warm, 'exit');
  const before = memory();
  const clients = await clientsOf(port, subscribers, distinct);
  while (api.app.subscribers() < subscribers) await new Promise((resolve) => setTimeout(resolve, 20));
  await new Promise((resolve) => setTimeout(resolve, 500));
  const idle = (memory() - before) / subscribers / 1_024;
  const used = process.cpuUsage();
  await publish(api, events);
  const { user, system } = process.cpuUsage(used);
  clients.kill();
  await once(clients, 'exit');
  server.closeAllConnections();
  server.close();
  const deliveries = events * subscribers;
  return [distinct, deliveries, ((user + system) / deliveries).toFixed(1), idle.toFixed(1)];
}

let sequence = 0;

async function publish(api: ReturnType<typeof apiOn>, count: number): Promise<void> {
  for (let event = 0; event < count; event += 1) {
    sequence += 1;
    api.leases.publish({ sequence, at: now, leaseId: 1, from: 'READY', to: 'ACTIVE', reason: null });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await new Promise((resolve) => setTimeout(resolve, 500));
}

/** In a process of their own, so that only the server's work is measured. */
async function clientsOf(port: number, count: number, distinct: number) {
  const bodies = Array.from({ length: distinct }, (_, index) => JSON.stringify({ query: selection(index, distinct) }));
  const clients = fork(clientFile, { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  clients.send({ port, count, bodies, token });
  await once(clients, 'message');
  return clients;
}

function memory(): number {
  global.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
