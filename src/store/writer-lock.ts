import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from './connection.ts';
import type { WriterConnection } from './database.ts';
import type { ConnectionSettings } from './database-url.ts';
import { storeError } from './errors.ts';
import type { StoreLog } from './log.ts';

/** The advisory lock of the writer, 'lgwr'. */
const lockKey = 0x6c677772;
/** Timeout of a commit (ms). After it, the lock is released, too. */
const commitTimeout = 15_000;
/**
 * The holder probes its connection every two seconds. After this many seconds without a probe, the holder is considered
 * hung and its session is ended.
 */
const holderSilence = 6;
/** Number of attempts, 50 ms apart, to take the lock after such a session was ended. */
const patience = 20;

/** The writer lock: a session-level advisory lock, so that it always ends with the session. */
export class WriterLock {
  private readonly settings: ConnectionSettings;
  private readonly log: StoreLog;
  /** Upper half of the lock key: a database may hold one site per schema. */
  private readonly site: number;
  /** Kept between attempts, so that a standby does not reconnect each time. */
  private candidate: Connection | null = null;
  private holder: Connection | null = null;
  private closed = false;

  constructor(settings: ConnectionSettings, log: StoreLog) {
    this.settings = settings;
    this.log = log;
    this.site = settings.schema === 'public' ? 0 : hash(settings.schema);
  }

  /** Backend process id that holds or last held the lock for this process. */
  get processId(): number | null {
    return this.holder?.processId ?? null;
  }

  async acquire(): Promise<WriterConnection | null> {
    const connection = await this.connect();
    const tryLock = async () => {
      const text = 'SELECT pg_try_advisory_lock(($1::bigint << 32) | $2) AS locked';
      const [row] = await connection.query<{ locked: boolean }>(text, [this.site, lockKey]);
      return row?.locked === true;
    };
    let locked = await tryLock();
    if (!locked && (await this.endHangingHolder(connection))) {
      for (let tries = 0; !locked && tries < patience; tries++) {
        await sleep(50);
        locked = await tryLock();
      }
    }
    if (!locked) return null;
    this.candidate = null;
    this.holder = connection;
    return {
      query: (text, values) => connection.query(text, values),
      run: (statement, values) => connection.run(statement, values),
      lost: connection.lost,
      release: () => connection.close(),
    };
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([this.candidate?.close(), this.holder?.close()]);
  }

  private async connect(): Promise<Connection> {
    if (this.candidate !== null && !this.candidate.lost.aborted) return this.candidate;
    try {
      this.candidate = await Connection.open(this.settings, commitTimeout);
    } catch (error) {
      throw storeError(error, `Cannot connect to ${this.settings.target}`);
    }
    if (this.closed) await this.candidate.close();
    return this.candidate;
  }

  /**
   * Ends the session of a hung holder. A stopped writer process keeps its session open without using it, and a session
   * of this process may survive a broken connection on the server. The epoch prevents both from writing, so ending the
   * session is safe.
   */
  private async endHangingHolder(connection: Connection): Promise<boolean> {
    try {
      const ended = await connection.query<{ pid: number }>(
        // Finds the holder before ending anything, since the planner may reorder the conditions of one WHERE.
        `WITH hanging AS MATERIALIZED (
           SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid)
           WHERE locktype = 'advisory' AND granted AND classid = $4::bigint::oid AND objid = $1 AND objsubid = 1
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
             AND (pid = $3::int OR state = 'idle' AND state_change < clock_timestamp() - make_interval(secs => $2))
         )
         SELECT pid FROM hanging WHERE pg_terminate_backend(pid)`,
        [lockKey, holderSilence, this.processId, this.site],
      );
      for (const { pid } of ended)
        this.log.warn({ session: pid }, 'ended the session of a writer that does not respond');
      return ended.length > 0;
    } catch (error) {
      // Not permitted, or already gone: the next attempt finds out.
      this.log.debug({ err: error }, 'the session of the present writer could not be looked at');
      return false;
    }
  }
}

/** A positive int4. */
function hash(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() >>> 1;
}
