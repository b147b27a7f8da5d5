/**
 * How late subscribers are, and what requests take beside them: the whole server, on both databases, with events from
 * real requests at a steady rate.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { postgresMissing, startPostgres } from '../test/support/postgres.ts';
import { scratchDirectory, startServer } from '../test/support/server-process.ts';
import { GraphQLClient } from './support/client.ts';
import { Bare, requestLease } from './support/probes.ts';
import { percentile } from './support/statistics.ts';
import type { Cell, Table } from './support/table.ts';

/** Subscribers, and events per second. */
const loads = [
  [1_000, 20],
  [5_000, 5],
  [5_000, 100],
] as const;
/** A lease that waits makes one event, besides the one that it is created with. */
const eventsPerRequest = 2;

const clientFile = fileURLToPath(new URL('support/lag-subscribers.mjs', import.meta.url));
const config = { site: { nodes: [{ count: 64, capacity: { CPU: 100, Memory: 1_024 } }] } };
const body = JSON.stringify({
  query: 'subscription { leaseEvents { sequence at from to lease { number name state } } }',
});

interface Lags {
  readonly events: number;
  readonly p50: number | null;
  readonly p99: number | null;
  readonly max: number | null;
}

export async function lagBenchmark(quick: boolean): Promise<Table[]> {
  const duration = quick ? 3_000 : 15_000;
  const rows = await measure('embedded', {}, duration);
  if (postgresMissing === null) {
    const postgres = await startPostgres({ fsync: 'on', synchronous_commit: 'on' });
    try {
      const environment = { DATABASE_URL: postgres.url(await postgres.createDatabase()) };
      rows.push(...(await measure('PostgreSQL', environment, duration)));
    } finally {
      await postgres.dispose();
    }
  }
  return [
    {
      title: 'Lag of subscribers over server-sent events, and requests beside them',
      columns: [
        'database',
        'subscribers',
        'events/s',
        'deliveries/s',
        'lag: median, ms',
        '99th, ms',
        'requestLease: median, ms',
        '99th, ms',
        'a bare server: 99th, ms',
        'processors of the server',
        'µs a delivery',
      ],
      rows,
      notes: [
        'Events are those of the requests. The lag runs from the instant of the event, before its commit. Clients are a process of their own on the same machine.',
      ],
    },
  ];
}

async function measure(
  name: string,
  environment: Readonly<Record<string, string>>,
  duration: number,
): Promise<Cell[][]> {
  const directory = scratchDirectory();
  const rows: Cell[][] = [];
  const bare = await Bare.start();
  try {
    for (const [count, rate] of loads) {
      const server = await startServer({
        dataDir: `${directory.path}/data-${count}-${rate}`,
        config,
        environment,
      });
      const client = new GraphQLClient(server);
      // Everything that is compiled once is compiled, and the nodes are taken: what follows waits.
      await Promise.all(Array.from({ length: 8 }, () => requestLease(client, 16)));
      const clients = fork(clientFile, { execArgv: [] });
      clients.send({ port: Number(new URL(server.url).port), count, body, token: server.token });
      await once(clients, 'message');
      await publish(client, rate, 2_000);
      await lagsOf(clients);
      const cpu = async () => (await client.metrics())('process_cpu_seconds_total');
      const [before, begun] = [await cpu(), performance.now()];
      const [latencies, bares] = await Promise.all([publish(client, rate, duration), bare.probe(duration)]);
      await sleep(500);
      const used = (await cpu()) - before;
      const seconds = (performance.now() - begun) / 1_000;
      const lags = await lagsOf(clients);
      clients.kill();
      await once(clients, 'exit');
      client.close();
      await server.stop();
      rows.push([
        ...[name, count, rate, lags.events / seconds, lags.p50, lags.p99],
        ...[percentile(latencies, 50), percentile(latencies, 99), percentile(bares, 99)],
        ...[used / seconds, (used / lags.events) * 1e6],
      ]);
    }
  } finally {
    bare.stop();
    directory.remove();
  }
  return rows;
}

/** Requests at a steady rate, whether or not the last one was answered. */
async function publish(client: GraphQLClient, rate: number, duration: number): Promise<number[]> {
  const latencies: number[] = [];
  const under: Promise<void>[] = [];
  const begun = performance.now();
  const interval = (1_000 * eventsPerRequest) / rate;
  for (let next = begun; next < begun + duration; next += interval) {
    await sleep(Math.max(0, next - performance.now()));
    const sent = performance.now();
    under.push(requestLease(client, 1).then(() => void latencies.push(performance.now() - sent)));
  }
  await Promise.all(under);
  return latencies;
}

async function lagsOf(clients: ReturnType<typeof fork>): Promise<Lags> {
  clients.send('lags');
  const [lags] = (await once(clients, 'message')) as [Lags];
  return lags;
}
