/** Required session settings, independent of the server, database, role or pooler. */
import { StoreError } from '../engine/ports.ts';
import type { Queryable } from './database.ts';

/**
 * Set by a statement rather than as startup parameters, since poolers refuse or ignore unknown ones. Instants and
 * intervals are read as text in one format; the driver reads and writes only this format of bytes and strings.
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

/** Only newer versions of PostgreSQL support it. */
const settingsOfNewVersions = ['transaction_timeout'];

/**
 * Planner settings. The data is in memory or on solid-state disks; with the default cost of random reads, the foreign
 * keys of every committed row would be checked by a sequential scan of the nodes. JIT compilation takes longer than
 * these queries.
 */
export const plannerSettings = { random_page_cost: '1.1', jit: 'off' };

/** Settings that a URL must not override. */
export const managedSettings: ReadonlySet<string> = new Set([
  ...Object.keys(fixedSettings),
  'search_path',
  'statement_timeout',
]);

export interface SessionOptions {
  readonly schema: string;
  /** PostgreSQL settings from the URL. */
  readonly session: Readonly<Record<string, string>>;
  /** Name of the database in messages. */
  readonly target: string;
  /** Statement timeout (ms); 0 means none. */
  readonly statementTimeout: number;
}

/**
 * Applies and verifies the session settings of a new connection in one round trip. Throws StoreError if the database
 * cannot be used.
 */
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

/** Quotes an SQL identifier. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
