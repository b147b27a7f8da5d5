/**
 * Converts an embedded database that an earlier version made with PGlite: `npm run convert-database -- DATA_DIR`. The
 * old files stay, in DATA_DIR/db.pglite.
 */
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { btree_gist } from '@electric-sql/pglite/contrib/btree_gist';
import type { Database, MigrationSession } from '../src/store/database.ts';
import { lockDirectory } from '../src/store/embedded/directory-lock.ts';
import { openEmbedded } from '../src/store/embedded/index.ts';
import { silentLog } from '../src/store/log.ts';
import { migrate } from '../src/store/migrate.ts';

/** Referenced tables come before those that refer to them. Commands that no server has answered by now have expired. */
const tables = [
  'writers',
  'sites',
  'nodes',
  'leases',
  'lease_machines',
  'reservations',
  'reservation_nodes',
  'utilization_hours',
  'lease_events',
  'actions',
  'idempotency_keys',
];
const pageSize = 5_000;

/** Returns how many rows were copied, by table. */
export async function convertDatabase(dataDir: string): Promise<ReadonlyMap<string, number>> {
  const [old, kept, converting] = [join(dataDir, 'db'), join(dataDir, 'db.pglite'), join(dataDir, 'db.converting')];
  if (existsSync(kept)) throw new Error(`${kept} exists: an earlier conversion left it. Move it away first.`);
  const lock = await lockDirectory(dataDir);
  const source = await PGlite.create(old, { extensions: { btree_gist } });
  try {
    await rm(converting, { recursive: true, force: true });
    // The older version may lack migrations.
    const session: MigrationSession = {
      query: async (text, values) => (await source.query(text, [...(values ?? [])])).rows as never,
      script: async (text) => {
        await source.exec(text);
      },
    };
    await migrate({ ...session, migrate: (work) => work(session) });
    const target = await openEmbedded(converting, silentLog);
    const copied = new Map<string, number>();
    try {
      await migrate(target);
      await target.query('TRUNCATE writers');
      for (const table of tables) copied.set(table, await copy(source, target, table));
    } finally {
      await target.close();
    }
    await source.close();
    await rename(old, kept);
    await rename(join(converting, 'db'), old);
    await rm(converting, { recursive: true, force: true });
    return copied;
  } finally {
    if (!source.closed) await source.close();
    await lock.release();
  }
}

async function copy(source: PGlite, target: Database, table: string): Promise<number> {
  await source.exec(`SET timezone = 'UTC'`);
  for (let count = 0; ; ) {
    const { rows } = await source.query<{ row: unknown }>(
      `SELECT to_jsonb(t) AS row FROM ${table} t ORDER BY t LIMIT $1 OFFSET $2`,
      [pageSize, count],
    );
    if (rows.length === 0) return count;
    await target.query(`INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)`, [
      JSON.stringify(rows.map(({ row }) => row)),
    ]);
    count += rows.length;
  }
}

if (process.argv[1] === import.meta.filename) {
  const [, , directory] = process.argv;
  if (directory === undefined) {
    console.error('Usage: npm run convert-database -- DATA_DIR');
    process.exit(2);
  }
  const dataDir = resolve(directory);
  const copied = await convertDatabase(dataDir);
  for (const [table, count] of copied) console.log(`${table}: ${count} rows`);
  console.log(`Converted. The former files are in ${join(dataDir, 'db.pglite')}; delete them when all is well.`);
}
