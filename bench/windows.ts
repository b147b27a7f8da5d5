/** Queries by interval on a small and on a large history of the same density. */

import { leaseOrder, readLeases } from '../src/api/read/leases.ts';
import { heldAt, holdingsDuring } from '../src/api/read/nodes.ts';
import { readReservations, reservationsOfNodes } from '../src/api/read/reservations.ts';
import { readUtilization } from '../src/api/read/utilization.ts';
import type { Source } from '../src/api/read/view.ts';
import type { Instant } from '../src/core/index.ts';
import { type OpenStore, openStore } from '../src/store/index.ts';
import { readMigrations } from '../src/store/migrate.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { median } from './support/statistics.ts';
import type { Cell, Table } from './support/table.ts';

const everything = { key: 'everything', leases: null } as Source['view'];
const byNumber = leaseOrder({ field: 'NUMBER', direction: 'ASC' });
const nodes = 100;
const hour = 3_600_000;
const origin = Date.UTC(2026, 0, 1);

export async function windowsBenchmark(quick: boolean): Promise<Table[]> {
  const sizes = quick ? [1_000, 10_000] : [10_000, 1_000_000];
  const postgres = await startPostgres();
  const stores: OpenStore[] = [];
  let rows: Cell[][] = [];
  try {
    for (const size of sizes) {
      const name = await postgres.createDatabase();
      const store = await openStore({ databaseUrl: postgres.url(name), dataDir: '' });
      stores.push(store);
      for (const statement of await filling(size)) await postgres.sql(statement, name);
    }
    rows = await measure(
      stores.map(({ prisma }, at) => queriesOn({ prisma, view: everything }, sizes[at] ?? 0)),
      quick ? 5 : 40,
    );
  } finally {
    for (const store of stores) await store.close();
    await postgres.dispose();
  }
  return [
    {
      title: `Queries by interval, ms (median): ${nodes} nodes, each busy with a reservation of an hour`,
      columns: ['query', ...sizes.map((size) => `${size.toLocaleString('en-US')} finished reservations`), 'ratio'],
      rows,
    },
  ];
}

/** Statements that make reservations of an hour, end to end on each node. */
async function filling(size: number): Promise<string[]> {
  const startOf = (number: string) =>
    `timestamptz '2026-01-01 00:00+00' + (${number} - 1) / ${nodes} * interval '1 hour'`;
  return [
    `INSERT INTO nodes (number, hostname, capacity) SELECT n, 'node-' || n, '{"CPU": 100}' FROM generate_series(1, ${nodes}) n`,
    `INSERT INTO leases (number, type, state, preemptible, submitted_at, original_duration, duration, ended_at)
       SELECT n, 'IMMEDIATE', 'DONE', false, ${startOf('n')}, ${hour}, ${hour}, ${startOf('n')} + interval '1 hour'
       FROM generate_series(1, ${size}) n`,
    `INSERT INTO reservations (number, lease_number, kind, state, starts_at, ends_at, plan)
       SELECT n, n, 'VM', 'DONE', ${startOf('n')}, ${startOf('n')} + interval '1 hour', '{}' FROM generate_series(1, ${size}) n`,
    `INSERT INTO reservation_nodes (reservation_number, node_number, amounts, starts_at, ends_at)
       SELECT n, (n - 1) % ${nodes} + 1, '{"CPU": 100}', ${startOf('n')}, ${startOf('n')} + interval '1 hour'
       FROM generate_series(1, ${size}) n`,
    /^INSERT INTO "utilization_hours"[^;]*;/m.exec(
      (await readMigrations()).find(({ name }) => name === '0008_windows')?.sql ?? '',
    )?.[0] ?? '',
    'ANALYZE',
  ];
}

interface Query {
  readonly name: string;
  readonly run: () => Promise<unknown>;
}

function queriesOn(source: Source, size: number): Query[] {
  // Away from both ends of the history.
  const at: Instant = origin + Math.floor((size / nodes) * 0.5) * hour;
  const two = { from: at - hour, to: at + hour };
  const three = { from: at - 36 * hour, to: at + 36 * hour };
  const window = { limit: 51, backward: false, after: null, before: null };
  const all = Array.from({ length: nodes }, (_, index) => index + 1);
  const queries: [string, Query['run']][] = [
    ['reservations of two hours, first 50', () => readReservations(source, two, window)],
    ['reservations of three days, first 50', () => readReservations(source, three, window)],
    ['two hours of 50 nodes (a Gantt page)', () => reservationsOfNodes(source, all.slice(0, 50), { ...two, window })],
    ['three days of one node', () => reservationsOfNodes(source, [7], { ...three, window })],
    [
      'leases that overlap two hours, first 50',
      () => readLeases(source, { overlapping: { start: two.from, end: two.to } }, byNumber, window),
    ],
    ['what 100 nodes hold at an instant', () => heldAt(source, all, at)],
    ['what a node holds during three days', () => holdingsDuring(source, [7], three)],
    ['utilization of three days by the hour', () => readUtilization(source, 'CPU', { ...three, step: hour }, null)],
    [
      'utilization of three days in 100 samples',
      () => readUtilization(source, 'CPU', { ...three, step: 0.72 * hour }, null),
    ],
  ];
  return queries.map(([name, run]) => ({ name, run }));
}

/** The median times of each query on both histories, in turns, and their ratio. */
async function measure([small = [], large = []]: Query[][], rounds: number): Promise<Cell[][]> {
  const rows: Cell[][] = [];
  for (const [index, query] of small.entries()) {
    const times: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      for (const [at, run] of [query.run, large[index]?.run].entries()) {
        const begun = performance.now();
        await run?.();
        times[at as 0 | 1].push(performance.now() - begun);
      }
    }
    const [one, other] = [median(times[0]), median(times[1])];
    rows.push([query.name, one, other, other / one]);
  }
  return rows;
}
