import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from './connection.ts';
import type { WriterConnection } from './database.ts';
import type { ConnectionSettings } from './database-url.ts';
import { storeError } from './errors.ts';
import type { StoreLog } from './log.ts';

/** The advisory lock of the writer, 'lgwr'. */
const lockKey = 0x6c677772;
/** A commit that takes longer is given up, and the lock with it (ms). */
const commitTimeout = 15_000;
/**
 * The holder asks its connection every two seconds; after this long without, it hangs, and its session is ended (s).
 */
const holderSilence = 6;
/** How often the lock is tried again, every 50 ms, when such a session has just been ended. */
const patience = 20;

/** The writer's lock: a session's advisory lock, so that it ends when the session does, however that ends. */
export class WriterLock {
  private readonly settings: ConnectionSettings;
  private readonly log: StoreLog;
  /** The upper half of the lock's key: a database may hold one site per schema. */
  private readonly site: number;
  /** Kept between attempts, so that a standby does not connect anew each time. */
  private candidate: Connection | null = null;
  private holder: Connection | null = null;
  private closed = false;

  constructor(settings: ConnectionSettings, log: StoreLog) {
    this.settings = settings;
    this.log = log;
    this.site = settings.schema === 'public' ? 0 : hash(settings.schema);
  }

  /** The server's process that holds the lock for us, or did last. */
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
   * A writer whose process is stopped keeps its session alive without ever using it, and one of ours whose connection
   * broke may live on at the server. The epoch keeps either from writing, so ending its session is safe.
   */
  private async endHangingHolder(connection: Connection): Promise<boolean> {
    try {
      const ended = await connection.query<{ pid: number }>(
        // The holder is found before anything is ended: the order within one WHERE is the planner's.
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
      // Not permitted, or gone by itself: the next attempt sees.
      this.log.debug({ err: error }, 'the session of the present writer could not be looked at');
      return false;
    }
  }
}

/** A positive int4. */
function hash(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() >>> 1;
}
