/**
 * Readers beside the scheduler: how long health checks and requests take while subscribers replay the history and
 * consoles list leases, as fast as they can.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { postgresMissing, startPostgres } from '../test/support/postgres.ts';
import { type ServerProcess, scratchDirectory, startServer } from '../test/support/server-process.ts';
import { GraphQLClient } from './support/client.ts';
import { Bare, check, repeatedly, requestLease } from './support/probes.ts';
import { percentile } from './support/statistics.ts';
import type { Table } from './support/table.ts';

const subscribers = 60;
const loops = 30;
/** Events that each subscriber replays. */
const events = 700;

const readersFile = fileURLToPath(new URL('support/readers.mjs', import.meta.url));

const config = {
  site: { nodes: [{ count: 64, capacity: { CPU: 100, Memory: 1_024 } }] },
  limits: { costBurst: 1_000_000_000, costPerSecond: 1_000_000_000 },
};
const subscription = 'subscription { leaseEvents(after: 0) { sequence at from to lease { number name } } }';
const query = `{ leases(first: 50) { nodes {
  id number type state machines { index node { hostname } }
  reservations(first: 3) { nodes { start end kind nodes { hostname } } }
} } }`;
interface Counts {
  readonly events: number;
  readonly replays: number;
  readonly lists: number;
  readonly refused: number;
}

export async function readersBenchmark(quick: boolean): Promise<Table[]> {
  const duration = quick ? 5_000 : 30_000;
  const rows: (string | number)[][] = [];
  rows.push(...(await measure('embedded', {}, duration)));
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
      title: `${subscribers} subscribers that replay ${events} events each, and ${loops} loops of list queries`,
      columns: [
        'database, readers',
        'a bare server: 99th, ms',
        '/livez: median, ms',
        '99th, ms',
        'worst, ms',
        'requestLease: median, ms',
        '99th, ms',
        'worst, ms',
        'lists/s',
        'events/s',
      ],
      rows,
      notes: [
        'The bare server answers health checks in a process of its own, which does nothing else: how late it is, the machine is.',
      ],
    },
  ];
}

async function measure(
  name: string,
  environment: Readonly<Record<string, string>>,
  duration: number,
): Promise<(string | number)[][]> {
  const directory = scratchDirectory();
  const server = await startServer({ dataDir: `${directory.path}/data`, config, environment });
  const client = new GraphQLClient(server);
  const bare = await Bare.start();
  const probe = () => probes(server, client, bare, duration);
  try {
    await Promise.all(Array.from({ length: 8 }, () => requestLease(client, Math.ceil(events / 16))));
    const alone = await probe();
    const readers = fork(readersFile, { execArgv: [] });
    readers.send({
      ...{ url: server.url, token: server.token },
      ...{ subscribers, loops, events, subscription, query },
    });
    await sleep(3_000);
    const before = await countsOf(readers);
    const begun = performance.now();
    const beside = await probe();
    const seconds = (performance.now() - begun) / 1_000;
    const after = await countsOf(readers);
    readers.kill();
    await once(readers, 'exit');
    if (after.refused > before.refused) throw new Error(`${after.refused} lists were refused`);
    return [
      [`${name}, none`, ...alone, 0, 0],
      [`${name}, all`, ...beside, (after.lists - before.lists) / seconds, (after.events - before.events) / seconds],
    ];
  } finally {
    bare.stop();
    client.close();
    await server.stop();
    directory.remove();
  }
}

async function countsOf(readers: ChildProcess): Promise<Counts> {
  readers.send('counts');
  const [counts] = (await once(readers, 'message')) as [Counts];
  return counts;
}

/** Health checks and requests, each shortly after the last one, for so many milliseconds. */
async function probes(server: ServerProcess, client: GraphQLClient, bare: Bare, duration: number) {
  const livez = new URL('/livez', server.url).href;
  const [bares, checks, leases] = await Promise.all([
    bare.probe(duration),
    repeatedly(duration, () => check(livez)),
    repeatedly(duration, () => requestLease(client, 1)),
  ]);
  const figures = (times: readonly number[]) => [percentile(times, 50), percentile(times, 99), percentile(times, 100)];
  return [percentile(bares, 99), ...figures(checks), ...figures(leases)];
}
