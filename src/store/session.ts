/** What every session of the database must be, whatever the server, the database, the role or a pooler say. */
import { StoreError } from '../engine/ports.ts';
import type { Queryable } from './database.ts';

/**
 * Set by a statement rather than when a connection starts, since poolers refuse or ignore what they do not know there.
 * Instants and intervals are read as texts of one form; the driver reads and writes only this form of bytes and
 * strings.
 */
const fixedSettings = {
  timezone: 'UTC',
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  client_encoding: 'UTF8',
  extra_float_digits: '1',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  transaction_timeout: '0',
};

/** Only newer versions of PostgreSQL have it. */
const settingsOfNewVersions = ['transaction_timeout'];

/**
 * What a session tells PostgreSQL's planner. What is read here is in memory or on a disk without moving parts; with the
 * usual cost of random reads, the foreign keys of every row that a commit writes would be looked up by reading the
 * whole table of nodes. Compiling expressions takes longer than all that these queries do.
 */
export const plannerSettings = { random_page_cost: '1.1', jit: 'off' };

/** Settings that are not for others to make. */
export const managedSettings: ReadonlySet<string> = new Set([
  ...Object.keys(fixedSettings),
  'search_path',
  'statement_timeout',
]);

export interface SessionOptions {
  readonly schema: string;
  /** Settings of PostgreSQL that the URL brings. */
  readonly session: Readonly<Record<string, string>>;
  /** What a message calls the database. */
  readonly target: string;
  /** Bounds every statement (ms); 0: nothing does. */
  readonly statementTimeout: number;
}

/** Makes a new connection what it must be, in one round trip. Throws StoreError when the database cannot be used. */
export async function prepareSession(client: Queryable, options: SessionOptions): Promise<void> {
  const settings = {
    ...fixedSettings,
    ...plannerSettings,
    ...options.session,
    search_path: quoted(options.schema),
    statement_timeout: String(options.statementTimeout),
  };
  const [session] = await client.query<{ set: number; encoding: string; standby: boolean }>(
    `SELECT count(set_config(key, value, false))::int AS set, current_setting('server_encoding') AS encoding,
       pg_is_in_recovery() AS standby
     FROM jsonb_each_text($1::jsonb)
     WHERE NOT key = ANY ($2::text[]) OR current_setting(key, true) IS NOT NULL`,
    [JSON.stringify(settings), settingsOfNewVersions],
  );
  if (session?.encoding !== 'UTF8') {
    throw new StoreError(
      'PERMANENT',
      `Cannot use ${options.target}: its encoding is ${session?.encoding}; UTF8 is needed (createdb --encoding=UTF8 --template=template0).`,
    );
  }
  if (session.standby) {
    throw new StoreError(
      'TRANSIENT',
      `Cannot use ${options.target}: it is read-only, a standby of another server. Name the primary server in DATABASE_URL.`,
    );
  }
}

/** An identifier in SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
