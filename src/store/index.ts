import { resolve } from 'node:path';
import type { Store, WriterTerm } from '../engine/ports.ts';
import type { Database } from './database.ts';
import { openEmbedded } from './embedded/index.ts';
import { type StoreLog, silentLog } from './log.ts';
import { assertMigrated, migrate } from './migrate.ts';
import type { PrismaClient } from './prisma/client.ts';
import { assertSchemaWhole } from './schema-objects.ts';
import { openServer } from './server.ts';
import { SqlStore } from './store.ts';

export { isOutage } from './errors.ts';
export type { StoreLog } from './log.ts';

export interface StoreOptions {
  /** A PostgreSQL server; without it the database is embedded, under `dataDir`. */
  readonly databaseUrl?: string | null | undefined;
  readonly dataDir: string;
  readonly log?: StoreLog | undefined;
  /** Whether it must be there as it is needed: then nothing is made, and nothing migrated. */
  readonly asItIs?: boolean;
}

/** The engine's store, and the Prisma client that the API reads through. */
export interface OpenStore extends Store {
  readonly kind: 'embedded' | 'server';
  readonly prisma: PrismaClient;
  /** Where other threads and processes reach the same database. */
  readonly url: string;
  /**
   * Gives up a lease that the scheduler cannot take, since what is stored of it is not sound: it becomes FAILED, its
   * plan is deleted, and its machines are destroyed on the nodes that they are known to be on. Throws StoreError.
   */
  discardLease(leaseNumber: number, writer: WriterTerm): Promise<void>;
}

/**
 * Opens the database and brings it to the newest schema. Throws StoreError, its message for people: the server cannot
 * be reached or refuses the user, the data directory is in use, or a migration fails.
 */
export async function openStore({
  asItIs = false,
  log = silentLog,
  ...place
}: StoreOptions): Promise<OpenStore> {
  const database = await openDatabase({ ...place, asItIs, log });
  try {
    if (asItIs) await assertMigrated(database);
    const applied = asItIs ? [] : await migrate(database);
    if (applied.length > 0) log.info({ migrations: applied }, 'migrated the database');
    await assertSchemaWhole(database);
    return new SqlStore(database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Only applies migrations and says which. Throws StoreError. */
export async function migrateStore(options: StoreOptions): Promise<readonly string[]> {
  const database = await openDatabase({ ...options, log: options.log ?? silentLog });
  try {
    return await migrate(database);
  } finally {
    await database.close();
  }
}

function openDatabase(options: StoreOptions & { readonly log: StoreLog }): Promise<Database> {
  return options.databaseUrl
    ? openServer(options.databaseUrl, options.log)
    : openEmbedded(resolve(options.dataDir), options.log, options.asItIs);
}
