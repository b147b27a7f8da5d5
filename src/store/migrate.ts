import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MigrationList } from '@prisma/schema-engine-wasm';
import { StoreError } from '../engine/ports.ts';
import type { Database, MigrationSession } from './database.ts';
import { describe, kindOf } from './errors.ts';
import { loadSchemaEngine } from './schema-engine.ts';

/** An advisory lock of this key is held while migrations are applied ('lgmg'). */
const migrationLock = 0x6c676d67;

/** Where the package keeps its migrations, both from sources and from the bundle. */
export function migrationsDirectory(): string {
  for (let directory = dirname(fileURLToPath(import.meta.url)); ; directory = dirname(directory)) {
    const candidate = join(directory, 'prisma', 'migrations');
    if (existsSync(candidate)) return candidate;
    if (directory === dirname(directory))
      throw new Error('prisma/migrations is missing from this installation.');
  }
}

export async function readMigrations(baseDir = migrationsDirectory()): Promise<MigrationList> {
  const entries = await readdir(baseDir, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return {
    baseDir,
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.sort().map(async (name) => ({
        path: name,
        migrationFile: {
          path: 'migration.sql',
          content: {
            tag: 'ok' as const,
            value: await readFile(join(baseDir, name, 'migration.sql'), 'utf8'),
          },
        },
      })),
    ),
  };
}

/**
 * Brings the database to the newest schema and says which migrations that took. All or nothing, and safe when several
 * processes do it at once. Throws StoreError when it cannot be done; the database is then as it was.
 */
export async function migrate(database: Database, list?: MigrationList): Promise<readonly string[]> {
  const migrations = list ?? (await readMigrations());
  // The usual start has nothing to apply: found out with one query, before an engine of some megabytes is loaded.
  if ((await pendingMigrations(database, migrations)).length === 0) return [];
  return database.migrate(async (session) => {
    await session.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    try {
      const pending = await pendingMigrations(session, migrations);
      if (pending.length > 0) await apply(session, migrations);
      return pending;
    } finally {
      await session.query('SELECT pg_advisory_unlock($1)', [migrationLock]);
    }
  });
}

/** Throws StoreError where the database lacks migrations. */
export async function assertMigrated(database: Database): Promise<void> {
  const pending = await pendingMigrations(database, await readMigrations());
  if (pending.length === 0) return;
  throw new StoreError(
    'PERMANENT',
    `The database lacks the migrations ${pending.join(', ')}: it is older than this version, or new. "leasegraph migrate" applies them.`,
  );
}

type Session = Pick<MigrationSession, 'query'>;

async function pendingMigrations(session: Session, list: MigrationList): Promise<readonly string[]> {
  const [table] = await session.query<{ exists: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists`,
  );
  const names = list.migrationDirectories.map((directory) => directory.path);
  if (table?.exists !== true) return names;
  const rows = await session.query<{ name: string; finished: boolean; logs: string | null }>(
    `SELECT migration_name AS name, finished_at IS NOT NULL AS finished, logs
     FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
  );
  for (const row of rows) {
    if (!names.includes(row.name)) {
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
  return names.filter((name) => !applied.has(name));
}

async function apply(session: MigrationSession, migrationsList: MigrationList): Promise<void> {
  let failure: unknown;
  const engine = await loadSchemaEngine({
    ...bound(session.adapter),
    // The adapters split scripts at semicolons or do not wait for them.
    executeScript: async (script) => {
      try {
        await session.script(script);
      } catch (error) {
        failure ??= error;
        throw error;
      }
    },
  });
  try {
    await session.script('BEGIN');
    await engine.applyMigrations({ migrationsList, filters: { externalTables: [], externalEnums: [] } });
    await session.script('COMMIT');
  } catch (error) {
    await session.script('ROLLBACK').catch(() => {});
    throw new StoreError(
      kindOf(failure ?? error),
      `The database could not be migrated and is as it was: ${whyNot(failure ?? error)}`,
      { cause: failure ?? error },
    );
  } finally {
    engine.free();
  }
}

/** What the schema engine says, without where in its sources it stood. */
function whyNot(error: unknown): string {
  const said = describe(error)
    .replace(/\n\s*0: .*/s, '')
    .replace(/^ERROR: /, '');
  if (said.includes('schema is not empty')) {
    return 'it holds tables of something else. Name another database in DATABASE_URL.';
  }
  return said.startsWith('permission denied') || said.startsWith('cannot execute')
    ? `${said}. The user needs the right to create and change tables in the schema "public".`
    : said;
}

function bound(adapter: MigrationSession['adapter']): MigrationSession['adapter'] {
  return {
    provider: adapter.provider,
    adapterName: adapter.adapterName,
    queryRaw: (query) => adapter.queryRaw(query),
    executeRaw: (query) => adapter.executeRaw(query),
    executeScript: (script) => adapter.executeScript(script),
    startTransaction: (isolationLevel) => adapter.startTransaction(isolationLevel),
    getConnectionInfo: () => adapter.getConnectionInfo?.() ?? { supportsRelationJoins: true },
    dispose: () => adapter.dispose(),
  };
}
