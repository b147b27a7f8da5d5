import type { Queryable } from './database.ts';

/**
 * The transactions that a statement sees, as PostgreSQL names them. A server that crashed gives numbers again of
 * transactions that it had not written to disk; it has written a checkpoint since. A standby of PostgreSQL does not say
 * which transactions are under way.
 */
const statement = `SELECT pg_current_snapshot()::text || '/' || extract(epoch FROM pg_postmaster_start_time())
  || '/' || (pg_control_checkpoint()).checkpoint_lsn AS version WHERE NOT pg_is_in_recovery()`;

/**
 * Names what is committed and visible now: two texts are equal only if nothing at all was committed in between,
 * whatever process wrote it. Null when the server cannot tell. Throws StoreError.
 */
export async function readVersion(database: Queryable): Promise<string | null> {
  const [row] = await database.query<{ version: string }>(statement);
  return row?.version ?? null;
}
