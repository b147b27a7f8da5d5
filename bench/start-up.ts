/** From starting the process until the server listens. */
import { postgresMissing, startPostgres } from '../test/support/postgres.ts';
import { type Environment, scratchDirectory, startServer } from '../test/support/server-process.ts';
import { median } from './support/statistics.ts';
import type { Cell, Table } from './support/table.ts';

/** Seconds. */
const target = 3;

export async function startUpBenchmark(quick: boolean): Promise<Table[]> {
  const times = quick ? 1 : 5;
  const rows: Cell[][] = [];
  rows.push(...(await measure('embedded', times, async () => ({}))));
  if (postgresMissing === null) {
    const postgres = await startPostgres({ fsync: 'on', synchronous_commit: 'on' });
    try {
      const database = async () => ({ DATABASE_URL: postgres.url(await postgres.createDatabase()) });
      rows.push(...(await measure('PostgreSQL', times, database)));
    } finally {
      await postgres.dispose();
    }
  }
  return [
    {
      title: 'Starting the server, until it listens',
      columns: ['database', 'first start, s', 'later starts, s', 'stop, s', 'target, s'],
      rows,
    },
  ];
}

async function measure(name: string, times: number, database: () => Promise<Environment>): Promise<Cell[][]> {
  const first: number[] = [];
  const later: number[] = [];
  const stop: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const directory = scratchDirectory();
    const environment = await database();
    try {
      for (const starts of [first, later]) {
        const begun = performance.now();
        const server = await startServer({ dataDir: `${directory.path}/data`, environment });
        starts.push((performance.now() - begun) / 1_000);
        stop.push((await server.stop()).milliseconds / 1_000);
      }
    } finally {
      directory.remove();
    }
  }
  return [[name, median(first), median(later), median(stop), target]];
}
