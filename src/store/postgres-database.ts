import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import type { Database, MigrationSession, Notification, Queryable, Row, WriterConnection } from './database.ts';
import type { ConnectionSettings } from './database-url.ts';
import { storeError } from './errors.ts';
import { Listener } from './listener.ts';
import type { StoreLog } from './log.ts';
import { query, queryable, types } from './pg.ts';
import { PatientPool } from './pool.ts';
import { prepareSession } from './session.ts';
import { WriterLock } from './writer-lock.ts';

/** Read timeout (ms). */
export const queryTimeout = 15_000;

/** A PostgreSQL database accessed through the driver `pg`. */
export class PostgresDatabase implements Database {
  readonly prismaAdapter;
  private readonly pool: pg.Pool;
  private readonly listener: Listener;
  private readonly writerLock: WriterLock;

  constructor(
    readonly kind: Database['kind'],
    private readonly settings: ConnectionSettings,
    log: StoreLog,
    readonly url: string,
  ) {
    this.pool = new PatientPool({
      ...settings.config,
      types,
      max: settings.poolSize,
      patience: settings.poolTimeout,
      query_timeout: queryTimeout,
      onConnect: (client) => prepareSession(queryable(client), { ...settings, statementTimeout: queryTimeout }),
    });
    // Broken idle connections; the pool replaces them.
    this.pool.on('error', (error) => log.debug({ err: error }, 'an idle database connection was lost'));
    this.prismaAdapter = new PrismaPg(this.pool, { schema: settings.schema });
    this.writerLock = new WriterLock(settings, log);
    this.listener = new Listener(settings, log, () => this.writerLock.processId);
  }

  query<R extends object = Row>(text: string, values?: readonly unknown[]): Promise<R[]> {
    return query<R>(this.pool, text, values);
  }

  async snapshot<T>(read: (database: Queryable) => Promise<T>): Promise<T> {
    const client = await this.pool.connect().catch((error: unknown) => {
      throw storeError(error, 'No connection to the database');
    });
    let failure: Error | undefined;
    // Without a listener, a connection error would end the process; the pending query reports it.
    const onError = () => {};
    client.on('error', onError);
    try {
      await query(client, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const result = await read(queryable(client));
      await query(client, 'COMMIT');
      return result;
    } catch (error) {
      failure = storeError(error, 'Reading the database failed');
      throw failure;
    } finally {
      client.off('error', onError);
      // A connection with a failed transaction is discarded.
      client.release(failure);
    }
  }

  lockWriter(): Promise<WriterConnection | null> {
    return this.writerLock.acquire();
  }

  listen(onNotification: (notification: Notification) => void): Promise<AsyncDisposable> {
    return this.listener.subscribe(onNotification);
  }

  async migrate<T>(work: (session: MigrationSession) => Promise<T>): Promise<T> {
    const client = new pg.Client({ ...this.settings.config, types });
    // The pending query reports it.
    client.on('error', () => {});
    try {
      await client.connect();
      // Building an index may take long.
      await prepareSession(queryable(client), { ...this.settings, statementTimeout: 0 });
      return await work({
        ...queryable(client),
        script: async (text) => {
          await client.query(text);
        },
      });
    } catch (error) {
      throw storeError(error, 'The database cannot be migrated');
    } finally {
      await client.end().catch(() => {});
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.listener.close(), this.writerLock.close()]);
    if (!this.pool.ended) await this.pool.end();
  }
}
