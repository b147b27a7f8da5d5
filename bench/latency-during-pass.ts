/**
 * How long callers wait while the scheduler plans all that waits: leases planned one by one as they come, and all of
 * them anew.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type OwnPostgresServer, postgresMissing, startPostgres } from '../test/support/postgres.ts';
import { type Environment, scratchDirectory, startServer } from '../test/support/server-process.ts';
import { GraphQLClient, load } from './support/client.ts';
import { percentile } from './support/statistics.ts';
import type { Cell, Table } from './support/table.ts';
import { randomNumbers } from './synthetic.ts';

const NODES = 256;
const capacity = { CPU: 100, Memory: 1_024 };
const config = {
  site: { nodes: [{ count: NODES, capacity }] },
  scheduler: { backfilling: 'conservative', suspension: 'all', preemption: 'ar-preempts-everything' },
};
/** 99th percentiles (ms). */
const target = { requests: 100, queries: 50 };

const requestLease = `mutation ($input: RequestLeaseInput!) {
  requestLease(input: $input) { lease { id number state } userErrors { code message } }
}`;
const cancelLease =
  'mutation ($input: CancelLeaseInput!) { cancelLease(input: $input) { userErrors { code message } } }';
const list = '{ leases(last: 20) { nodes { number state estimatedStart machines { node { hostname } } } } }';

export async function latencyBenchmark(quick: boolean): Promise<Table[]> {
  const leases = quick ? 500 : 5_000;
  const rows: Cell[][] = [];
  const postgres: OwnPostgresServer | null =
    postgresMissing === null ? await startPostgres({ fsync: 'on', synchronous_commit: 'on' }) : null;
  try {
    if (postgres !== null)
      rows.push(
        ...(await measure('PostgreSQL', leases, {
          DATABASE_URL: postgres.url(await postgres.createDatabase()),
        })),
      );
    rows.push(...(await measure('embedded', leases, {})));
  } finally {
    await postgres?.dispose();
  }
  return [
    {
      title: `Latency over HTTP while ${leases} leases on ${NODES} nodes are planned, backfilling conservatively`,
      columns: [
        'database, meanwhile',
        'it took, s',
        'passes',
        'in the core, s',
        'longest block, ms',
        'requests',
        'median, ms',
        '99th, ms',
        'worst, ms',
        'queries',
        'median, ms',
        '99th, ms',
        'worst, ms',
      ],
      rows,
      notes: [`Targets: 99 % of requests within ${target.requests} ms, of queries within ${target.queries} ms.`],
    },
  ];
}

async function measure(name: string, leases: number, environment: Environment): Promise<Cell[][]> {
  const directory = scratchDirectory();
  const server = await startServer({ dataDir: `${directory.path}/data`, config, environment });
  const site = new Site(new GraphQLClient(server));
  try {
    // The first requests are slow, since nothing is compiled yet.
    const warm = await site.requestMany(16, 200);
    for (const id of warm) await site.cancel(id);
    const blocker = await site.block();
    const rows = [await site.during(`${name}, all are requested`, () => site.requestMany(8, leases))];
    rows.push(await site.during(`${name}, all are planned anew`, () => site.cancel(blocker)));
    return rows;
  } finally {
    site.close();
    await server.stop();
    directory.remove();
  }
}

class Site {
  private readonly random = randomNumbers(11);
  /** Seconds; since the last `during` began. */
  private maxBlock = 0;

  constructor(private readonly client: GraphQLClient) {}

  /** Does something that makes the scheduler plan, and measures until it has planned. */
  async during(what: string, work: () => Promise<unknown>): Promise<Cell[]> {
    const before = await this.client.metrics();
    this.maxBlock = 0;
    const begun = performance.now();
    const over = new AbortController();
    // One caller and one reader, a little after each answer again.
    const probes = Promise.all([
      this.probe(over.signal, 25, () => this.request('BEST_EFFORT', 1, 600)),
      this.probe(over.signal, 10, () => this.client.operation(list)),
    ]);
    await work();
    await this.settled();
    const took = (performance.now() - begun) / 1_000;
    over.abort();
    const [requests, queries] = await probes;
    const after = await this.client.metrics();
    const used = (metric: string) => after(metric) - before(metric);
    const shown = (latencies: readonly number[]) => [
      latencies.length,
      percentile(latencies, 50),
      percentile(latencies, 99),
      percentile(latencies, 100),
    ];
    return [
      what,
      took,
      used('leasegraph_pass_seconds_count'),
      used('leasegraph_pass_seconds_sum'),
      this.maxBlock * 1_000,
      ...shown(requests),
      ...shown(queries),
    ];
  }

  /** A whole pass has begun and ended since this was called, caused by whoever else requests. */
  private async settled(): Promise<void> {
    const passes = async () => {
      const metrics = await this.client.metrics();
      // It counts from one look at the metrics to the next.
      this.maxBlock = Math.max(this.maxBlock, metrics('nodejs_eventloop_lag_max_seconds'));
      return metrics('leasegraph_pass_seconds_count');
    };
    const before = await passes();
    while ((await passes()) < before + 2) await sleep(100);
  }

  /** The id of a lease that runs on all nodes. */
  async block(): Promise<string> {
    const id = await this.request('IMMEDIATE', NODES, 24 * 3_600);
    for (;;) {
      const { node } = await this.client.operation<{ node: { state: string } }>(
        'query ($id: ID!) { node(id: $id) { ... on Lease { state } } }',
        { id },
      );
      if (node.state === 'ACTIVE') return id;
      if (node.state === 'REJECTED') throw new Error('the nodes are not free');
      await sleep(20);
    }
  }

  async requestMany(clients: number, count: number): Promise<string[]> {
    const made: string[] = [];
    await load(clients, { count, time: Number.POSITIVE_INFINITY }, async () => {
      const width = Math.max(1, Math.floor(2 ** (this.random() * Math.log2(NODES / 4))));
      made.push(await this.request('BEST_EFFORT', width, 600 + Math.floor(this.random() ** 3 * 8 * 3_600)));
    });
    return made;
  }

  /** Answers with the lease's id. */
  async request(type: string, count: number, seconds: number): Promise<string> {
    const machines = [{ count, capacity: Object.entries(capacity).map(([type, amount]) => ({ type, amount })) }];
    const { requestLease: payload } = await this.client.operation<{
      requestLease: { lease: { id: string } | null; userErrors: unknown };
    }>(requestLease, { input: { type, machines, duration: `PT${seconds}S` } });
    if (payload.lease === null) throw new Error(`refused: ${JSON.stringify(payload.userErrors)}`);
    return payload.lease.id;
  }

  async cancel(id: string): Promise<void> {
    await this.client.operation(cancelLease, { input: { id } });
  }

  close(): void {
    this.client.close();
  }

  private async probe(signal: AbortSignal, pause: number, operation: () => Promise<unknown>): Promise<number[]> {
    const latencies: number[] = [];
    while (!signal.aborted) {
      const sent = performance.now();
      await operation();
      latencies.push(performance.now() - sent);
      await sleep(pause);
    }
    return latencies;
  }
}
