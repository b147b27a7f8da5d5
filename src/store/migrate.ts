import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StoreError } from '../engine/ports.ts';
import type { Database, MigrationSession, Queryable } from './database.ts';
import { describe, kindOf } from './errors.ts';

export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** Key of the advisory lock held during migrations ('lgmg'). */
const migrationLock = 0x6c676d67;

/** Created as by `prisma migrate deploy`, so that Prisma's tools work on the database, too. */
const migrationTable = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id varchar(36) PRIMARY KEY NOT NULL,
  checksum varchar(64) NOT NULL,
  finished_at timestamptz,
  migration_name varchar(255) NOT NULL,
  logs text,
  rolled_back_at timestamptz,
  started_at timestamptz NOT NULL DEFAULT now(),
  applied_steps_count integer NOT NULL DEFAULT 0
)`;

/** The folder of migrations, both for the sources and for the bundle. */
export function migrationsDirectory(): string {
  for (let directory = dirname(fileURLToPath(import.meta.url)); ; directory = dirname(directory)) {
    const candidate = join(directory, 'prisma', 'migrations');
    if (existsSync(candidate)) return candidate;
    if (directory === dirname(directory)) throw new Error('prisma/migrations is missing from this installation.');
  }
}

/** All migrations of this version, in order. */
export async function readMigrations(): Promise<readonly Migration[]> {
  const directory = migrationsDirectory();
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => ({
      name,
      sql: await readFile(join(directory, name, 'migration.sql'), 'utf8'),
    })),
  );
}

/**
 * Migrates the database to the newest schema and returns the names of the applied migrations. Atomic, and safe when
 * several processes do it at once. Throws StoreError on failure, which leaves the database unchanged.
 */
export async function migrate(
  database: Pick<Database, 'query' | 'migrate'>,
  migrations?: readonly Migration[],
): Promise<readonly string[]> {
  const all = migrations ?? (await readMigrations());
  // Usually there is nothing to apply, and the lock is not needed.
  if ((await pendingMigrations(database, all)).length === 0) return [];
  return database.migrate(async (session) => {
    await session.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    try {
      const pending = await pendingMigrations(session, all);
      if (pending.length > 0) await apply(session, pending);
      return pending.map(({ name }) => name);
    } finally {
      await session.query('SELECT pg_advisory_unlock($1)', [migrationLock]);
    }
  });
}

/** Throws StoreError if migrations are missing. */
export async function assertMigrated(database: Database): Promise<void> {
  const pending = await pendingMigrations(database, await readMigrations());
  if (pending.length === 0) return;
  const names = pending.map(({ name }) => name).join(', ');
  throw new StoreError(
    'PERMANENT',
    `The database lacks the migrations ${names}: it is older than this version, or new. "leasegraph migrate" applies them.`,
  );
}

async function pendingMigrations(session: Queryable, migrations: readonly Migration[]): Promise<readonly Migration[]> {
  const [table] = await session.query<{ exists: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists`,
  );
  if (table?.exists !== true) return migrations;
  const rows = await session.query<{ name: string; finished: boolean; logs: string | null }>(
    `SELECT migration_name AS name, finished_at IS NOT NULL AS finished, logs
     FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
  );
  const known = new Set(migrations.map(({ name }) => name));
  for (const row of rows) {
    if (!known.has(row.name)) {
      throw new StoreError(
        'PERMANENT',
        `The database has the migration ${row.name}, which this version does not know: it was migrated by a newer version. Run that version, or restore a backup from before.`,
      );
    }
    if (!row.finished) {
      throw new StoreError(
        'PERMANENT',
        `The migration ${row.name} was begun by another tool and did not finish${row.logs ? ` (${row.logs})` : ''}. Repair the database and mark it with "prisma migrate resolve", or restore a backup.`,
      );
    }
  }
  const applied = new Set(rows.map((row) => row.name));
  return migrations.filter(({ name }) => !applied.has(name));
}

async function apply(session: MigrationSession, pending: readonly Migration[]): Promise<void> {
  try {
    await session.script('BEGIN');
    await assertOwnSchema(session);
    await session.script(migrationTable);
    for (const { name, sql } of pending) {
      await session.script(sql);
      await session.query(
        `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
         VALUES ($1, $2, $3, clock_timestamp(), 1)`,
        [randomUUID(), createHash('sha256').update(sql).digest('hex'), name],
      );
    }
    await session.script('COMMIT');
  } catch (error) {
    await session.script('ROLLBACK').catch(() => {});
    if (error instanceof StoreError && error.cause === undefined) throw error;
    const cause = error instanceof StoreError ? error.cause : error;
    throw new StoreError(
      kindOf(cause),
      `The database could not be migrated and is unchanged: ${describe(cause)}${adviceFor(cause)}`,
      { cause },
    );
  }
}

/** Throws StoreError for a schema that holds the tables of another program. */
async function assertOwnSchema(session: Queryable): Promise<void> {
  const [found] = await session.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND relkind IN ('r', 'p')
       AND to_regclass('_prisma_migrations') IS NULL
       AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
     ORDER BY relname LIMIT 1`,
  );
  if (found === undefined) return;
  throw new StoreError(
    'PERMANENT',
    `The database holds tables of another program, such as "${found.name}". Name another database in DATABASE_URL.`,
  );
}

function adviceFor(error: unknown): string {
  if (error instanceof Error && error.message.includes('btree_gist')) {
    return '. The extension comes with PostgreSQL (package postgresql-contrib on some systems); an administrator can run CREATE EXTENSION btree_gist.';
  }
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === '25006') return '. The server is read-only: name the primary server in DATABASE_URL.';
  return code === '42501' ? '. The user needs the right to create and change tables in the schema.' : '.';
}
