import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { StoreError } from '../engine/ports.ts';
import { Connection } from './connection.ts';
import { type ConnectionSettings, connectionFailure, connectionSettings } from './connection-settings.ts';
import type {
  Database,
  MigrationSession,
  Notification,
  Queryable,
  Row,
  WriterConnection,
} from './database.ts';
import { storeError } from './errors.ts';
import { Listener } from './listener.ts';
import type { StoreLog } from './log.ts';
import { query, types } from './pg.ts';
import { WriterLock } from './writer-lock.ts';

/** A read that takes longer than this has lost its connection or its purpose (ms). */
const queryTimeout = 15_000;
const oldestVersion = 140_000;

/** A PostgreSQL server. Throws StoreError when it cannot be reached or used. */
export async function openServer(databaseUrl: string, log: StoreLog): Promise<Database> {
  const settings = connectionSettings(databaseUrl);
  await assertUsable(settings);
  return new ServerDatabase(settings, log);
}

/** By a connection of its own: one that a pool could not make may stay half open. Throws StoreError. */
async function assertUsable(settings: ConnectionSettings): Promise<void> {
  const connection = await Connection.open(settings, queryTimeout).catch((error: unknown) => {
    throw connectionFailure(error, settings);
  });
  const setting = async (name: string) => {
    const [row] = await connection.query<{ value: string }>('SELECT current_setting($1) AS value', [name]);
    return row?.value ?? '';
  };
  const refuse = (what: string) => new StoreError('PERMANENT', `Cannot use ${settings.target}: ${what}`);
  try {
    if (Number(await setting('server_version_num')) < oldestVersion) {
      throw refuse(`it is PostgreSQL ${await setting('server_version')}; 14 or newer is needed.`);
    }
    const encoding = await setting('server_encoding');
    if (encoding !== 'UTF8') {
      throw refuse(
        `its encoding is ${encoding}; UTF8 is needed (createdb --encoding=UTF8 --template=template0).`,
      );
    }
  } finally {
    await connection.close();
  }
}

class ServerDatabase implements Database {
  readonly kind = 'server';
  readonly prismaAdapter;
  readonly #settings: ConnectionSettings;
  readonly #pool: pg.Pool;
  readonly #listener: Listener;
  readonly #writerLock: WriterLock;

  constructor(settings: ConnectionSettings, log: StoreLog) {
    this.#settings = settings;
    this.#pool = new pg.Pool({
      ...settings.config,
      types,
      max: 10,
      query_timeout: queryTimeout,
      statement_timeout: queryTimeout,
    });
    // Idle connections that break; the pool replaces them by itself.
    this.#pool.on('error', (error) => log.debug({ err: error }, 'an idle database connection was lost'));
    this.prismaAdapter = new PrismaPg(this.#pool);
    this.#writerLock = new WriterLock(settings, log);
    this.#listener = new Listener(settings, log, () => this.#writerLock.processId);
  }

  query<R extends object = Row>(text: string, values?: readonly unknown[]): Promise<R[]> {
    return query<R>(this.#pool, text, values);
  }

  async snapshot<T>(read: (database: Queryable) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw storeError(error, 'No connection to the database');
    });
    let failure: Error | undefined;
    // Without a listener an error of the connection would end the process; the query in flight reports it.
    const onError = () => {};
    client.on('error', onError);
    try {
      await query(client, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const result = await read({ query: (text, values) => query(client, text, values) });
      await query(client, 'COMMIT');
      return result;
    } catch (error) {
      failure = storeError(error, 'Reading the database failed');
      throw failure;
    } finally {
      client.off('error', onError);
      // A connection whose transaction failed is not worth repairing.
      client.release(failure);
    }
  }

  lockWriter(): Promise<WriterConnection | null> {
    return this.#writerLock.acquire();
  }

  listen(onNotification: (notification: Notification) => void): Promise<AsyncDisposable> {
    return this.#listener.subscribe(onNotification);
  }

  async migrate<T>(work: (session: MigrationSession) => Promise<T>): Promise<T> {
    // One connection, so that the lock and the transaction share a session.
    const pool = new pg.Pool({ ...this.#settings.config, types, max: 1, idleTimeoutMillis: 0 });
    pool.on('error', () => {});
    try {
      return await work({
        query: (text, values) => query(pool, text, values),
        script: async (text) => {
          await pool.query(text);
        },
      });
    } finally {
      await pool.end();
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#listener.close(), this.#writerLock.close()]);
    if (!this.#pool.ended) await this.#pool.end();
  }
}
