/**
 * The nested list of 50 leases through the whole API, beside bare Yoga that executes the same document on the same data
 * in memory: processor time of this process for one answer, in turns. And the last page of a thousand beside the first.
 */
import { buildSchema, printSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { schema } from '../src/api/index.ts';
import { openStore } from '../src/store/index.ts';
import { apiOn, graphqlRequest } from '../test/api/fixture.ts';
import { postgresMissing, startPostgres } from '../test/support/postgres.ts';
import { median } from './support/statistics.ts';
import type { Cell, Table } from './support/table.ts';

const pages = 1_000;
const pageSize = 50;
const query = `query ($after: String) { leases(first: ${pageSize}, after: $after) {
  nodes {
    id number name type state submittedAt
    machines { index node { hostname } }
    reservations(first: 3) { nodes { kind state start end nodes { hostname } } }
  }
  pageInfo { hasNextPage endCursor }
} }`;

const filling = [
  `INSERT INTO nodes (number, hostname, capacity) SELECT n, 'node-' || n, '{"CPU": 100}' FROM generate_series(1, 100) n`,
  `INSERT INTO leases (number, name, type, state, preemptible, submitted_at, original_duration, duration, machine_count)
     SELECT n, 'lease ' || n, 'IMMEDIATE', 'DONE', false, now(), 3600000, 3600000, 2 FROM generate_series(1, ${pages * pageSize + 10}) n`,
  `INSERT INTO lease_machines (lease_number, index, amounts, node_number)
     SELECT n, m, '{"CPU": 100}', (n * 2 + m) % 100 + 1 FROM generate_series(1, ${pages * pageSize + 10}) n, generate_series(1, 2) m`,
  `INSERT INTO reservations (number, lease_number, kind, state, starts_at, ends_at, plan)
     SELECT n, (n - 1) / 2 + 1, 'VM', 'DONE', now() + n * interval '1 minute', now() + n * interval '1 minute' + interval '1 hour', '{}'
     FROM generate_series(1, ${2 * (pages * pageSize + 10)}) n`,
  `INSERT INTO reservation_nodes (reservation_number, node_number, amounts, starts_at, ends_at)
     SELECT number, (number + m) % 100 + 1, '{"CPU": 50}', starts_at, ends_at FROM reservations, generate_series(1, 2) m`,
  'ANALYZE',
];

export async function nestedListBenchmark(quick: boolean): Promise<Table[]> {
  if (postgresMissing !== null) {
    console.log(`nested-list is skipped: ${postgresMissing}`);
    return [];
  }
  const rounds = quick ? 5 : 30;
  const postgres = await startPostgres();
  const name = await postgres.createDatabase();
  const store = await openStore({ databaseUrl: postgres.url(name), dataDir: '' });
  try {
    for (const statement of filling) await postgres.sql(statement, name);
    const limits = { costBurst: 1e12, costPerSecond: 1e12 };
    const { app } = apiOn(store.prisma, { limits });
    const { app: keeping } = apiOn(store.prisma, { limits, version: () => store.version() });
    const answer = async (after: string | null, from = app): Promise<string> =>
      (await from.fetch(graphqlRequest(query, { after }))).text();
    const first = JSON.parse(await answer(null)) as { data: { leases: { nodes: { id: string }[] } } };
    const bareSchema = buildSchema(printSchema(schema));
    const leases = bareSchema.getQueryType()?.getFields().leases;
    if (leases) leases.resolve = () => first.data.leases;
    const bare = createYoga({ schema: bareSchema, logging: false, graphiql: false });
    const [whole, bareWhole] = [await answer(null), await (await bare.fetch(graphqlRequest(query))).text()];
    const withoutCost = JSON.stringify({ data: (JSON.parse(whole) as { data: unknown }).data });
    if (bareWhole !== withoutCost) throw new Error(`bare Yoga answered ${bareWhole.slice(0, 300)}`);
    const edge = `{ leases(first: 1, filter: { numbers: [${(pages - 1) * pageSize}] }) { pageInfo { endCursor } } }`;
    const before = (await (await app.fetch(graphqlRequest(edge))).json()) as {
      data: { leases: { pageInfo: { endCursor: string } } };
    };
    const last = before.data.leases.pageInfo.endCursor;
    const commit = () => store.prisma.$executeRaw`UPDATE writers SET epoch = epoch`;
    /** Each with what is done before it, without being measured. */
    const ways: [string, () => Promise<unknown>, (() => Promise<unknown>)?][] = [
      ['bare Yoga, the data in memory', async () => (await bare.fetch(graphqlRequest(query))).text()],
      ['Leasegraph, page 1, executed', () => answer(null)],
      [`Leasegraph, page ${pages}, executed`, () => answer(last)],
      ['Leasegraph, page 1, repeated while nothing is committed', () => answer(null, keeping)],
      ['Leasegraph, page 1, first after a commit', () => answer(null, keeping), commit],
    ];
    const times: number[][] = ways.map(() => []);
    for (const [, run] of ways) for (let count = 0; count < 20; count += 1) await run();
    for (let round = 0; round < rounds; round += 1) {
      for (const [at, [, run, prepare]] of ways.entries()) {
        let used = 0;
        for (let count = 0; count < 10; count += 1) {
          await prepare?.();
          const begun = process.cpuUsage();
          await run();
          const { user, system } = process.cpuUsage(begun);
          used += user + system;
        }
        times[at]?.push(used / 10_000);
      }
    }
    const [base = 0] = times.map(median);
    const rows: Cell[][] = ways.map(([way], at) => [way, median(times[at] ?? []), median(times[at] ?? []) / base]);
    return [
      {
        title: `A page of ${pageSize} leases with machines, reservations and their nodes, out of ${pages * pageSize}`,
        columns: ['way', 'processor time, ms', 'times bare Yoga'],
        rows,
        notes: [`An answer has ${whole.length.toLocaleString('en-US')} bytes.`],
      },
    ];
  } finally {
    await store.close();
    await postgres.dispose();
  }
}
