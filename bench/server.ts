/** The server over HTTP: durable requests, and lists, on both databases; beside what the database itself can do. */

import { type PostgresServer, postgresMissing, startPostgres } from '../test/support/postgres.ts';
import { run, type ServerProcess, scratchDirectory, startServer } from '../test/support/server-process.ts';
import { GraphQLClient, type Load, load } from './support/client.ts';
import { insertLeases } from './support/inserts.ts';
import { median } from './support/statistics.ts';
import type { Cell, Table } from './support/table.ts';
import { randomNumbers } from './synthetic.ts';

const NODES = 144;
/** Leases that the site has all the time. */
const LEASES = 500;
const rounds = 3;
const capacity = { CPU: 100, Memory: 1_024 };
const config = { site: { nodes: [{ count: NODES, capacity }] } };

const requestLease = `mutation ($input: RequestLeaseInput!) {
  requestLease(input: $input) { lease { id number state } userErrors { code message } }
}`;
const cancelLease =
  'mutation ($input: CancelLeaseInput!) { cancelLease(input: $input) { userErrors { code message } } }';
const listLeases = `{
  leases(first: 50) {
    nodes { id number type state submittedAt machines { index node { hostname } } }
    pageInfo { hasNextPage endCursor }
  }
}`;

interface Database {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
}

export async function serverBenchmark(quick: boolean): Promise<Table[]> {
  const limits = { count: quick ? 300 : 1_500, time: 4_000 };
  const counts = quick ? [1, 50] : [1, 16, 50, 64];
  const tables: Table[] = [];
  // As in production: every commit is on the disk before it is answered.
  const postgres = postgresMissing === null ? await startPostgres({ fsync: 'on', synchronous_commit: 'on' }) : null;
  try {
    if (postgres !== null) {
      const environment = { DATABASE_URL: postgres.url(await postgres.createDatabase()) };
      tables.push(...(await measureServer({ name: 'PostgreSQL', environment }, counts, limits)));
      tables.push(await measureInserts(postgres, counts, limits));
    }
    tables.push(...(await measureServer({ name: 'embedded', environment: {} }, counts, limits)));
  } finally {
    await postgres?.dispose();
  }
  return tables;
}

async function measureServer(
  { name, environment }: Database,
  counts: readonly number[],
  limits: { readonly count: number; readonly time: number },
): Promise<Table[]> {
  const directory = scratchDirectory();
  const server = await startServer({ dataDir: `${directory.path}/data`, config, environment });
  const site = new Site(server);
  try {
    await site.fill();
    // The first requests are slow, since nothing is compiled yet.
    await site.cancel((await site.request(16, { count: limits.count / 2, time: limits.time })).made);
    const requests: Cell[][] = [];
    for (const clients of counts) {
      const measured = await repeatedly(async () => {
        const { made, figures } = await site.measure((client) => site.request(client, limits), clients);
        await site.cancel(made);
        return figures;
      });
      requests.push([clients, ...measured]);
    }
    const lists: Cell[][] = [];
    await site.list(16, { count: limits.count / 4, time: limits.time });
    for (const clients of counts) {
      const measured = await repeatedly(async () => {
        const { figures } = await site.measure((client) => site.list(client, limits), clients);
        return figures.slice(0, -1);
      });
      lists.push([clients, ...measured]);
    }
    const columns = ['clients', 'a second', 'median, ms', '99th percentile, ms', 'CPU of the server each, ms'];
    return [
      {
        title: `Durable requestLease over HTTP, ${name}, ${LEASES} leases on ${NODES} nodes`,
        columns: [...columns, 'leases a commit'],
        rows: requests,
      },
      { title: `List of 50 leases, each with its 2 machines and their nodes, ${name}`, columns, rows: lists },
    ];
  } finally {
    site.close();
    await server.stop();
    directory.remove();
  }
}

async function measureInserts(
  postgres: PostgresServer,
  counts: readonly number[],
  limits: { readonly count: number; readonly time: number },
): Promise<Table> {
  const database = await postgres.createDatabase();
  const migrated = await run(['migrate'], { DATABASE_URL: postgres.url(database) });
  if (migrated.code !== 0) throw new Error(migrated.stderr);
  await postgres.sql(
    `INSERT INTO nodes (number, hostname, capacity) SELECT n, 'n' || n, '${JSON.stringify(capacity)}' FROM generate_series(1, ${NODES}) AS n`,
    database,
  );
  const rows: Cell[][] = [];
  let from = 1;
  for (const clients of counts) {
    const measured = await repeatedly(async () => {
      const { count, perSecond, p50, p99 } = await insertLeases(postgres.url(database), clients, limits, from);
      from += count;
      return [perSecond, p50, p99];
    });
    rows.push([clients, ...measured]);
  }
  return {
    title: 'The same rows by bare `pg`, one statement and one commit a lease, on the same PostgreSQL server',
    columns: ['clients', 'a second', 'median, ms', '99th percentile, ms'],
    rows,
  };
}

/** The median of each figure over some rounds: the first opens connections, and the machine is not ours alone. */
async function repeatedly(round: () => Promise<readonly number[]>): Promise<number[]> {
  const figures: (readonly number[])[] = [];
  for (let count = 0; count < rounds; count += 1) figures.push(await round());
  return (figures[0] ?? []).map((_, at) => median(figures.map((each) => each[at] ?? 0)));
}

interface Requests {
  readonly load: Load;
  /** Ids of the leases. */
  readonly made: readonly string[];
}

/** A server with its leases, from outside. */
export class Site {
  private readonly client: GraphQLClient;
  private readonly random = randomNumbers(3);

  constructor(server: ServerProcess) {
    this.client = new GraphQLClient(server);
  }

  /** More best-effort leases than there is room for: some run, the others wait. */
  async fill(): Promise<void> {
    await load(16, { count: LEASES, time: 60_000 }, () => this.requestOne('BEST_EFFORT', 'PT48H', 2));
  }

  /** By turns advance reservations within the next month, and best-effort leases that have to wait. */
  async request(clients: number, limits: { count: number; time: number }): Promise<Requests> {
    const made: string[] = [];
    const measured = await load(clients, limits, async (index) => {
      const type = index % 2 === 0 ? 'ADVANCE_RESERVATION' : 'BEST_EFFORT';
      made.push(await this.requestOne(type, 'PT1H', 2));
    });
    return { load: measured, made };
  }

  async cancel(leases: readonly string[]): Promise<void> {
    await load(16, { count: leases.length, time: 120_000 }, (index) =>
      this.client.operation(cancelLease, { input: { id: leases[index] } }),
    );
  }

  async list(clients: number, limits: { count: number; time: number }): Promise<Requests> {
    return { load: await load(clients, limits, () => this.client.operation(listLeases)), made: [] };
  }

  /** A second, median, 99th percentile, CPU of the server each (ms), leases a commit. */
  async measure(work: (clients: number) => Promise<Requests>, clients: number) {
    const before = await this.client.metrics();
    const { load, made } = await work(clients);
    const after = await this.client.metrics();
    const used = (name: string) => after(name) - before(name);
    const cpu = (used('process_cpu_seconds_total') / load.count) * 1_000;
    const commits = used('leasegraph_commit_seconds_count');
    return { made, figures: [load.perSecond, load.p50, load.p99, cpu, load.count / commits] };
  }

  close(): void {
    this.client.close();
  }

  private async requestOne(type: string, duration: string, count: number): Promise<string> {
    const machines = [{ count, capacity: Object.entries(capacity).map(([type, amount]) => ({ type, amount })) }];
    const later = 48 * 3_600_000 + Math.floor(this.random() * 30 * 24 * 3_600) * 1_000;
    const start = type === 'ADVANCE_RESERVATION' ? new Date(Date.now() + later).toISOString() : null;
    const { requestLease: payload } = await this.client.operation<{
      requestLease: { lease: { id: string } | null; userErrors: unknown };
    }>(requestLease, { input: { type, machines, duration, start } });
    if (payload.lease === null) throw new Error(`refused: ${JSON.stringify(payload.userErrors)}`);
    return payload.lease.id;
  }
}
