import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { schemaDrift } from '../../scripts/schema-drift.ts';
import type { Database } from '../../src/store/database.ts';
import { openStore } from '../../src/store/index.ts';
import { silentLog } from '../../src/store/log.ts';
import { type Migration, migrate, readMigrations } from '../../src/store/migrate.ts';
import { assertSchemaWhole, schemaObjects } from '../../src/store/schema-objects.ts';
import { openServer } from '../../src/store/server.ts';
import { holderProgram } from '../support/holder.ts';
import { type PostgresServer, postgresMissing } from '../support/postgres.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

/** The project's migrations and the given ones. */
async function withMigrations(more: Readonly<Record<string, string>>): Promise<Migration[]> {
  return [...(await readMigrations()), ...Object.entries(more).map(([name, sql]) => ({ name, sql }))];
}

/** A listing of every object that migrations create. */
async function catalog(database: Database): Promise<readonly string[]> {
  const rows = await database.query<{ line: string }>(`
    SELECT format('%s.%s %s %s %s', table_name, column_name, udt_name, is_nullable, column_default) AS line
      FROM information_schema.columns WHERE table_schema = 'public'
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT format('%s %s', conname, pg_get_constraintdef(oid)) FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
    UNION ALL SELECT format('%s %s', enumtypid::regtype, enumlabel) FROM pg_enum
    UNION ALL SELECT format('%s %s', relname, reloptions) FROM pg_class WHERE reloptions IS NOT NULL
    ORDER BY 1`);
  return rows.map((row) => row.line);
}

function suite(fresh: () => Promise<Database>): void {
  const names = async () => (await readMigrations()).map(({ name }) => name);

  it('creates the schema in an empty database, once', async () => {
    const database = await fresh();
    expect(await migrate(database)).toEqual(await names());
    const made = await catalog(database);
    expect(made).toContain('leases.submitted_at timestamptz NO ');
    expect(await migrate(database)).toEqual([]);
    expect(await catalog(database)).toEqual(made);
    const recorded = await database.query<{ name: string; steps: number; checksum: string }>(
      `SELECT migration_name AS name, applied_steps_count AS steps, checksum FROM _prisma_migrations ORDER BY 1`,
    );
    expect(recorded.map((row) => row.name)).toEqual(await names());
    for (const row of recorded)
      expect(row).toMatchObject({ steps: 1, checksum: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  it('refuses a database with the tables of another program, and leaves it unchanged', async () => {
    const database = await fresh();
    await database.query('CREATE TABLE accounts (a int)');
    const before = await catalog(database);
    await expect(migrate(database)).rejects.toMatchObject({
      kind: 'PERMANENT',
      message:
        'The database holds tables of another program, such as "accounts". Name another database in DATABASE_URL.',
    });
    expect(await catalog(database)).toEqual(before);
  });

  it('applies new migrations, including statements that contain semicolons', async () => {
    const database = await fresh();
    await migrate(database);
    const sql = `CREATE TABLE extra (a int); CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 7; END $$;`;
    const list = await withMigrations({ '9998_extra': sql });
    expect(await migrate(database, list)).toEqual(['9998_extra']);
    expect(await database.query('SELECT f() AS seven')).toEqual([{ seven: 7 }]);
  });

  it('leaves the database unchanged when a migration fails, and succeeds once it is repaired', async () => {
    const database = await fresh();
    await migrate(database);
    const before = await catalog(database);
    const steps = { '9998_fine': 'CREATE TABLE fine (a int);' };
    const broken = 'CREATE TABLE half (a int); INSERT INTO half VALUES (1); SELECT nonsense FROM half;';
    await expect(migrate(database, await withMigrations({ ...steps, '9999_broken': broken }))).rejects.toMatchObject({
      name: 'StoreError',
      kind: 'PERMANENT',
      message: expect.stringContaining('column "nonsense" does not exist'),
    });
    expect(await catalog(database)).toEqual(before);
    expect(await migrate(database)).toEqual([]);
    const repaired = await withMigrations({ ...steps, '9999_broken': 'CREATE TABLE half (a int);' });
    expect(await migrate(database, repaired)).toEqual(['9998_fine', '9999_broken']);
  });

  it('refuses a database of a newer version, and one that another tool left half-migrated', async () => {
    const database = await fresh();
    await migrate(database, await withMigrations({ '9999_future': 'CREATE TABLE future (a int);' }));
    await expect(migrate(database)).rejects.toMatchObject({
      kind: 'PERMANENT',
      message: expect.stringContaining('9999_future, which this version does not know'),
    });
    await database.query(
      `UPDATE _prisma_migrations SET finished_at = NULL, logs = 'oh no' WHERE migration_name = '9999_future'`,
    );
    const list = await withMigrations({ '9999_future': 'CREATE TABLE future (a int);' });
    await expect(migrate(database, list)).rejects.toThrow(/9999_future was begun .* did not finish \(oh no\)/);
  });
}

const missing = postgresMissing === null ? '' : `: ${postgresMissing}`;
describe.skipIf(missing !== '')(`migrating${missing}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await sharedPostgres();
  });

  const fresh = async () => {
    const database = await openServer(server.url(await server.createDatabase()), silentLog);
    onTestFinished(() => database.close());
    return database;
  };
  suite(fresh);

  it('creates exactly what schema.prisma says, and detects a difference', async () => {
    const database = await fresh();
    await migrate(database);
    expect(await schemaDrift(database)).toBeNull();
    await database.query('ALTER TABLE leases DROP COLUMN is_future');
    expect(await schemaDrift(database)).toContain('"is_future"');
  });

  it('creates every object that is checked at the start, which detects missing ones', async () => {
    const databaseUrl = server.url(await server.createDatabase());
    const database = await openServer(databaseUrl, silentLog);
    onTestFinished(() => database.close());
    await migrate(database);
    // After a change of a migration: `npm run schema-objects`.
    const objects = (await schemaObjects(database)).map((name) => `${name}\n`).join('');
    await expect(objects).toMatchFileSnapshot('../../prisma/schema-objects.txt');
    await assertSchemaWhole(database);
    await database.query('ALTER TABLE lease_events DROP CONSTRAINT lease_events_pkey');
    await database.query('DROP INDEX leases_queue');
    for (const asItIs of [true, false]) {
      await expect(openStore({ databaseUrl, dataDir: '', asItIs })).rejects.toMatchObject({
        kind: 'PERMANENT',
        message:
          'The database lacks parts of its schema: constraint lease_events_pkey of lease_events, index lease_events_pkey, index leases_queue. It was changed, or restored in part. Restore a complete backup.',
      });
    }
  });

  it('happens once when many processes start together', async () => {
    const databaseUrl = server.url(await server.createDatabase());
    const stores = await Promise.all(Array.from({ length: 6 }, () => openStore({ databaseUrl, dataDir: tmpdir() })));
    for (const store of stores) {
      expect(await store.prisma.writer.count()).toBe(1);
      await store.close();
    }
    const applied = await server.sql('SELECT migration_name FROM _prisma_migrations', databaseUrl.split('/').at(-1));
    expect(applied).toHaveLength((await readMigrations()).length);
  });

  it('can be killed at any moment and repeated', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'leasegraph-migrate-'));
    await mkdir(join(directory, 'data'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const name = await server.createDatabase();
    const databaseUrl = server.url(name);
    // Killed as soon as it has the lock, so some way into the migrations.
    for (let round = 0; round < 3; round++) {
      const child = spawn(process.execPath, [holderProgram, databaseUrl, directory], { stdio: 'ignore' });
      const begun = async () =>
        (await server.sql(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory'`, name)).length > 0 ||
        child.exitCode !== null;
      await expect.poll(begun, { interval: 1 }).toBe(true);
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    const store = await openStore({ databaseUrl, dataDir: directory });
    expect(await store.prisma.writer.count()).toBe(1);
    await store.close();
    const [killed, whole] = [await openServer(databaseUrl, silentLog), await fresh()];
    await migrate(whole);
    expect(await catalog(killed)).toEqual(await catalog(whole));
    await killed.close();
  });
});
