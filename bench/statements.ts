/**
 * The statements of the API's nested list (50 leases, each with its first reservations): through Prisma's raw queries
 * as they are read, through `pg`, prepared or not, and as one statement that makes the JSON.
 */
import pg from 'pg';
import { leaseOrder, readLeases } from '../src/api/read/leases.ts';
import { reservationsOfLeases } from '../src/api/read/reservations.ts';
import type { Source } from '../src/api/read/view.ts';
import { openStore } from '../src/store/index.ts';
import { Prisma } from '../src/store/prisma/client.ts';
import { postgresMissing, startPostgres } from '../test/support/postgres.ts';
import { median } from './support/statistics.ts';
import type { Cell, Table } from './support/table.ts';

const filling = [
  `INSERT INTO nodes (number, hostname, capacity) SELECT n, 'node-' || n, '{"CPU": 100}' FROM generate_series(1, 100) n`,
  `INSERT INTO leases (number, type, state, preemptible, submitted_at, original_duration, duration, machine_count)
     SELECT n, 'IMMEDIATE', 'DONE', false, now(), 3600000, 3600000, 2 FROM generate_series(1, 5000) n`,
  `INSERT INTO reservations (number, lease_number, kind, state, starts_at, ends_at, plan)
     SELECT n, (n - 1) / 2 + 1, 'VM', 'DONE', now() + n * interval '1 minute', now() + n * interval '1 hour', '{}'
     FROM generate_series(1, 10000) n`,
  'ANALYZE',
];

const asJson = `SELECT json_agg(list) FROM (
  SELECT number, name, type, state, submitted_at, accumulated, planned_start, ended_at, (
    SELECT json_agg(page) FROM (
      SELECT number, kind, state, starts_at, ends_at, plan FROM reservations
      WHERE lease_number = leases.number ORDER BY starts_at, number LIMIT 4) AS page) AS reservations
  FROM leases ORDER BY number LIMIT 51) AS list`;

export async function statementsBenchmark(quick: boolean): Promise<Table[]> {
  if (postgresMissing !== null) {
    console.log(`statements is skipped: ${postgresMissing}`);
    return [];
  }
  const postgres = await startPostgres();
  const name = await postgres.createDatabase();
  const store = await openStore({ databaseUrl: postgres.url(name), dataDir: '' });
  const client = new pg.Client(postgres.url(name));
  try {
    for (const statement of filling) await postgres.sql(statement, name);
    await client.connect();
    const sent: Prisma.Sql[] = [];
    const asRead = (prisma: Source['prisma']) => readList({ prisma, view: { key: '', leases: null } } as Source);
    await asRead(recording(store.prisma, sent));
    const inTurn = async (query: (sql: Prisma.Sql, at: number) => Promise<unknown>) => {
      for (const [at, sql] of sent.entries()) await query(sql, at);
    };
    const ways: [string, () => Promise<unknown>][] = [
      ['as they are read: $queryRaw', () => asRead(store.prisma)],
      ['the same, pg', () => inTurn(({ text, values }) => client.query(text, [...values]))],
      [
        'the same, pg, prepared',
        () => inTurn(({ text, values }, at) => client.query({ name: `s${at}`, text, values: [...values] })),
      ],
      ['one statement that makes JSON, $queryRaw', () => store.prisma.$queryRawUnsafe(asJson)],
      ['the same, pg, prepared', () => client.query({ name: 'json', text: asJson })],
    ];
    return [
      {
        title: 'The statements of 50 leases with their first reservations',
        columns: ['way', 'ms (median)', 'client CPU, ms'],
        rows: await measure(ways, quick ? 20 : 200),
      },
    ];
  } finally {
    await client.end();
    await store.close();
    await postgres.dispose();
  }
}

async function readList(source: Source): Promise<void> {
  const window = { limit: 51, backward: false, after: null, before: null };
  const leases = await readLeases(source, {}, leaseOrder({ field: 'NUMBER', direction: 'ASC' }), window);
  await reservationsOfLeases(
    source,
    leases.map(({ number }) => number),
    { ...window, limit: 4 },
  );
}

/** The same client, which also keeps the raw queries that it is asked. */
function recording(prisma: Source['prisma'], sent: Prisma.Sql[]): Source['prisma'] {
  const queryRaw = (strings: readonly string[], ...values: unknown[]) => {
    const sql = Prisma.sql(strings, ...values);
    sent.push(sql);
    return prisma.$queryRaw(sql);
  };
  return new Proxy(prisma, {
    get: (target, key) => (key === '$queryRaw' ? queryRaw : Reflect.get(target, key)),
  });
}

/** In turns. */
async function measure(
  ways: readonly (readonly [string, () => Promise<unknown>])[],
  rounds: number,
): Promise<Cell[][]> {
  const taken = ways.map(() => ({ times: [] as number[], cpu: 0 }));
  for (let round = -10; round < rounds; round++) {
    for (const [at, [, run]] of ways.entries()) {
      const [begun, cpu] = [performance.now(), process.cpuUsage()];
      await run();
      const { user, system } = process.cpuUsage(cpu);
      const way = taken[at];
      // The first rounds prepare statements and compile code.
      if (round < 0 || way === undefined) continue;
      way.times.push(performance.now() - begun);
      way.cpu += (user + system) / 1_000;
    }
  }
  return ways.map(([name], at) => [name, median(taken[at]?.times ?? []), (taken[at]?.cpu ?? 0) / rounds]);
}
