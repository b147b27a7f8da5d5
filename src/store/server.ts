import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { StoreError } from '../engine/ports.ts';
import { Connection } from './connection.ts';
import { connectionFailure, lacksTls } from './connection-failure.ts';
import type {
  Database,
  MigrationSession,
  Notification,
  Queryable,
  Row,
  WriterConnection,
} from './database.ts';
import { type ConnectionSettings, connectionSettings } from './database-url.ts';
import { storeError } from './errors.ts';
import { Listener } from './listener.ts';
import type { StoreLog } from './log.ts';
import { query, queryable, types } from './pg.ts';
import { PatientPool } from './pool.ts';
import { prepareSession, quoted } from './session.ts';
import { WriterLock } from './writer-lock.ts';

/** A read that takes longer than this has lost its connection or its purpose (ms). */
const queryTimeout = 15_000;
const oldestVersion = 140_000;
/** Besides the pool: the writer's, one more while it is replaced, and the listener's. */
const otherConnections = 3;

/** A PostgreSQL server. Throws StoreError when it cannot be reached or used. */
export async function openServer(databaseUrl: string, log: StoreLog): Promise<Database> {
  const settings = connectionSettings(databaseUrl);
  try {
    return new ServerDatabase(await usable(settings, log), log);
  } catch (error) {
    throw connectionFailure(error, settings);
  }
}

/** The settings as this server can be used with them. Throws StoreError, or what `pg` says. */
async function usable(settings: ConnectionSettings, log: StoreLog): Promise<ConnectionSettings> {
  // By a connection of its own: one that a pool could not make may stay half open.
  let reached = settings;
  const connection = await Connection.open(settings, queryTimeout).catch((error: unknown) => {
    if (!(settings.tlsOptional && lacksTls(error))) throw error;
    reached = { ...settings, config: { ...settings.config, ssl: false } };
    return Connection.open(reached, queryTimeout);
  });
  try {
    return { ...reached, poolSize: await poolSizeFor(connection, settings, log) };
  } finally {
    await connection.close();
  }
}

/** How large the pool may be on this server. Throws StoreError when the server cannot be used. */
async function poolSizeFor(
  connection: Queryable,
  { poolSize, schema, target }: ConnectionSettings,
  log: StoreLog,
): Promise<number> {
  const refuse = (what: string) => new StoreError('PERMANENT', `Cannot use ${target}: ${what}`);
  const [server] = await connection.query<{
    version: string;
    number: number;
    schemaExists: boolean;
    role: string;
    limits: Readonly<Record<'role' | 'database' | 'server', number>>;
  }>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
       EXISTS (SELECT FROM pg_namespace WHERE nspname = $1) AS "schemaExists", rolname AS role,
       json_build_object('role', rolconnlimit, 'database', datconnlimit, 'server',
         current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int) AS limits
     FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()`,
    [schema],
  );
  if (server === undefined) throw refuse('it does not say who is connected to it.');
  if (server.number < oldestVersion)
    throw refuse(`it is PostgreSQL ${server.version}; 14 or newer is needed.`);
  if (!server.schemaExists) {
    throw refuse(`it has no schema "${schema}". Create it: CREATE SCHEMA ${quoted(schema)}.`);
  }
  // -1: no limit.
  const [what, limit] = Object.entries(server.limits)
    .filter(([, connections]) => connections >= 0)
    .reduce((least, each) => (each[1] < least[1] ? each : least));
  const whose = what === 'role' ? `the role "${server.role}"` : `the ${what}`;
  if (limit <= otherConnections) {
    throw refuse(
      `${whose} is limited to ${limit} connections; a server of Leasegraph needs at least ${otherConnections + 1}.`,
    );
  }
  const granted = Math.min(poolSize, limit - otherConnections);
  if (granted < poolSize) {
    log.warn(
      { limit, of: what, pool: granted },
      `${whose} is limited to ${limit} connections: queries share ${granted} instead of ${poolSize}`,
    );
  }
  return granted;
}

class ServerDatabase implements Database {
  readonly kind = 'server';
  readonly prismaAdapter;
  private readonly pool: pg.Pool;
  private readonly listener: Listener;
  private readonly writerLock: WriterLock;

  constructor(
    private readonly settings: ConnectionSettings,
    log: StoreLog,
  ) {
    this.pool = new PatientPool({
      ...settings.config,
      types,
      max: settings.poolSize,
      patience: settings.poolTimeout,
      query_timeout: queryTimeout,
      onConnect: (client) =>
        prepareSession(queryable(client), { ...settings, statementTimeout: queryTimeout }),
    });
    // Idle connections that break; the pool replaces them by itself.
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
    // Without a listener an error of the connection would end the process; the query in flight reports it.
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
      // A connection whose transaction failed is not worth repairing.
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
    // The query in flight reports it.
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
