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
  /** A PostgreSQL server; if absent, the database is embedded under `dataDir`. */
  readonly databaseUrl?: string | null | undefined;
  readonly dataDir: string;
  readonly log?: StoreLog | undefined;
  /** Whether the database must exist with the current schema: then nothing is created or migrated. */
  readonly asItIs?: boolean;
}

/** The store of the engine, and the Prisma client for reads of the API. */
export interface OpenStore extends Store {
  readonly kind: 'embedded' | 'server';
  readonly prisma: PrismaClient;
  /** The address of the database for other threads and processes. */
  readonly url: string;
  /**
   * Names what is committed and visible now: two texts are equal only if nothing at all was committed in between,
   * whatever process wrote it. Null when the server cannot tell. Throws StoreError.
   */
  version(): Promise<string | null>;
  /**
   * Discards a lease whose stored data is inconsistent: it becomes FAILED, its plan is deleted, and its machines are
   * destroyed on their known nodes. Throws StoreError.
   */
  discardLease(leaseNumber: number, writer: WriterTerm): Promise<void>;
}

/**
 * Opens the database and migrates it to the newest schema. Throws StoreError with a message for people: the server is
 * unreachable or refuses the user, the data directory is in use, or a migration fails.
 */
export async function openStore({ asItIs = false, log = silentLog, ...place }: StoreOptions): Promise<OpenStore> {
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

/** Applies migrations and returns their names. Throws StoreError. */
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
