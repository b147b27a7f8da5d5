/**
 * Durable requests of 64 clients beside subscribers and readers, and the same rows by bare `pg` while the same
 * subscribers and readers are there: in turns, on one PostgreSQL server.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { postgresMissing, startPostgres } from '../test/support/postgres.ts';
import { run, scratchDirectory, startServer } from '../test/support/server-process.ts';
import { Site } from './server.ts';
import { insertLeases } from './support/inserts.ts';
import { median } from './support/statistics.ts';
import type { Table } from './support/table.ts';

const clients = 64;
const subscribers = 20;
const loops = 2;

const config = {
  site: { nodes: [{ count: 144, capacity: { CPU: 100, Memory: 1_024 } }] },
  limits: { costBurst: 1_000_000_000, costPerSecond: 1_000_000_000 },
};
const readersFile = fileURLToPath(new URL('support/readers.mjs', import.meta.url));
const subscribersFile = fileURLToPath(new URL('support/lag-subscribers.mjs', import.meta.url));
const query = '{ leases(first: 50) { nodes { number state machines { index node { hostname } } } } }';
const subscription = 'subscription { leaseEvents { sequence at from to lease { number state } } }';

export async function requestsBenchmark(quick: boolean): Promise<Table[]> {
  if (postgresMissing !== null) {
    console.log(`requests is skipped: ${postgresMissing}`);
    return [];
  }
  const limits = { count: quick ? 300 : 1_000, time: 20_000 };
  const postgres = await startPostgres({ fsync: 'on', synchronous_commit: 'on' });
  const directory = scratchDirectory();
  const opened: (() => unknown)[] = [];
  try {
    const inserts = await postgres.createDatabase();
    const migrated = await run(['migrate'], { DATABASE_URL: postgres.url(inserts) });
    if (migrated.code !== 0) throw new Error(migrated.stderr);
    await postgres.sql(
      `INSERT INTO nodes (number, hostname, capacity) SELECT n, 'n' || n, '{"CPU": 100}' FROM generate_series(1, 144) AS n`,
      inserts,
    );
    const environment = { DATABASE_URL: postgres.url(await postgres.createDatabase()) };
    const server = await startServer({ dataDir: `${directory.path}/data`, config, environment });
    opened.push(() => server.stop());
    const site = new Site(server);
    opened.push(() => site.close());
    const listeners = fork(subscribersFile, { execArgv: [] });
    opened.push(() => listeners.kill());
    const port = Number(new URL(server.url).port);
    const body = JSON.stringify({ query: subscription });
    listeners.send({ port, count: subscribers, body, token: server.token });
    await once(listeners, 'message');
    const readers = fork(readersFile, { execArgv: [] });
    opened.push(() => readers.kill());
    readers.send({
      ...{ url: server.url, token: server.token, subscribers: 0, loops, events: 0 },
      ...{ query, subscription },
    });
    await site.cancel((await site.request(clients, limits)).made);
    const rates: [number, number][] = [];
    let from = 1;
    for (let round = 0; round < (quick ? 3 : 5); round += 1) {
      await sleep(500);
      const { load: ours, made } = await site.request(clients, limits);
      await site.cancel(made);
      await sleep(500);
      const bare = await insertLeases(postgres.url(inserts), clients, limits, from);
      from += bare.count;
      rates.push([ours.perSecond, bare.perSecond]);
    }
    const [ours, bare, ratio] = [
      rates.map(([one]) => one),
      rates.map(([, other]) => other),
      rates.map(([one, other]) => one / other),
    ].map(median);
    return [
      {
        title: `requestLease of ${clients} clients, beside ${subscribers} subscribers and ${loops} loops of list queries`,
        columns: ['requests/s', 'bare `pg`, leases/s', 'ratio'],
        rows: [[ours ?? 0, bare ?? 0, ratio ?? 0]],
      },
    ];
  } finally {
    for (const close of opened.toReversed()) await close();
    await postgres.dispose();
    directory.remove();
  }
}
