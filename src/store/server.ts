import { StoreError } from '../engine/ports.ts';
import { Connection } from './connection.ts';
import { connectionFailure, lacksTls } from './connection-failure.ts';
import type { Database, Queryable } from './database.ts';
import { type ConnectionSettings, connectionSettings } from './database-url.ts';
import type { StoreLog } from './log.ts';
import { PostgresDatabase, queryTimeout } from './postgres-database.ts';
import { quoted } from './session.ts';

const oldestVersion = 140_000;
/** Connections besides the pool: the writer's, one more while it is replaced, and the listener's. */
const otherConnections = 3;

/** Opens a PostgreSQL server. Throws StoreError if it is unreachable or unusable. */
export async function openServer(databaseUrl: string, log: StoreLog): Promise<Database> {
  const settings = connectionSettings(databaseUrl);
  try {
    return new PostgresDatabase('server', await usable(settings, log), log, databaseUrl);
  } catch (error) {
    throw connectionFailure(error, settings);
  }
}

/** Adapts the settings to the server. Throws StoreError or the error of `pg`. */
async function usable(settings: ConnectionSettings, log: StoreLog): Promise<ConnectionSettings> {
  // Uses a dedicated connection: one that a pool fails to make may stay half open.
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

/** The pool size that this server allows. Throws StoreError if the server cannot be used. */
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
  if (server.number < oldestVersion) throw refuse(`it is PostgreSQL ${server.version}; 14 or newer is needed.`);
  if (!server.schemaExists) {
    throw refuse(`it has no schema "${schema}". Create it: CREATE SCHEMA ${quoted(schema)}.`);
  }
  // -1 means no limit.
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
