import type { LeaseEventRecord, SiteSpec } from '../core/index.ts';
import {
  type CommitBatch,
  type Expiring,
  type ForwardedCommand,
  type IdempotencyRecord,
  type LeaseFacts,
  type LeaseRemains,
  type NoticeRecord,
  type Store,
  type StoredSite,
  StoreError,
  type WriterTerm,
} from '../engine/ports.ts';
import { CommandMailbox } from './commands.ts';
import { commitValues, statementOf } from './commit.ts';
import type { Database, WriterConnection } from './database.ts';
import { discardLease, markQuarantined, readRemains } from './discard.ts';
import { toJson } from './json.ts';
import { load } from './load.ts';
import { PrismaClient } from './prisma/client.ts';
import { assertSchemaWhole } from './schema-objects.ts';
import { idempotencyKeys, leaseEvents, nodes, notices } from './tables/index.ts';
import { readVersion } from './version.ts';

/** Their tables, and the condition that finds the oldest through an index. */
const expiring: Readonly<Record<Expiring, { readonly table: string; readonly oldest: string }>> = {
  idempotencyKeys: {
    table: 'idempotency_keys',
    oldest: 'SELECT ctid AS row, created_at AS at FROM idempotency_keys ORDER BY created_at',
  },
  actions: {
    table: 'actions',
    oldest: `SELECT ctid AS row, finished_at AS at FROM actions WHERE state <> 'PENDING' ORDER BY number`,
  },
  commands: {
    table: 'commands',
    oldest: 'SELECT ctid AS row, created_at AS at FROM commands ORDER BY created_at',
  },
  // With their machines and reservations. Events are deleted first, so that the stored range has no gap. An image
  // transfer may serve leases other than the one it was planned for.
  leases: {
    table: 'leases',
    oldest: `SELECT ctid AS row, ended_at AS at FROM leases
      WHERE ended_at < (SELECT at FROM lease_events ORDER BY sequence LIMIT 1)
        AND NOT EXISTS (SELECT FROM reservations WHERE lease_number = leases.number AND state IN ('SCHEDULED', 'ACTIVE'))
      ORDER BY ended_at`,
  },
};

/** The store on a PostgreSQL database, embedded or on a server. */
export class SqlStore implements Store {
  /** For reads of the API and of tools; the engine does not use it (docs/decisions/store.md). */
  readonly prisma: PrismaClient;
  readonly kind: Database['kind'];
  /** The address of the database for other threads and processes. */
  readonly url: string;
  private readonly database: Database;
  private readonly commands: CommandMailbox;
  private readonly writers = new WeakMap<WriterTerm, WriterConnection>();
  private writer: WriterTerm | null = null;
  /** The newest state this process has seen. */
  private known: Known | null = null;

  constructor(database: Database) {
    this.database = database;
    this.url = database.url;
    this.kind = database.kind;
    this.prisma = new PrismaClient({ adapter: database.prismaAdapter });
    this.commands = new CommandMailbox(database);
  }

  async acquireWriter(): Promise<WriterTerm | null> {
    await this.writer?.release();
    const connection = await this.database.lockWriter();
    if (connection === null) return null;
    try {
      // The opened database may have been replaced by another one.
      await assertSchemaWhole(connection);
      const [row] = await connection.query<{ epoch: number; lastCommit: string | null }>(
        'UPDATE writers SET epoch = epoch + 1 RETURNING epoch, last_commit AS "lastCommit"',
      );
      if (row === undefined) throw new StoreError('PERMANENT', 'The table "writers" has lost its row.');
      const lease: WriterTerm = { ...row, lost: connection.lost, release: () => connection.release() };
      this.writers.set(lease, connection);
      this.writer = lease;
      return lease;
    } catch (error) {
      await connection.release();
      throw error;
    }
  }

  /** Also throws StoreError for a database other than the one loaded before, or an older state of it. */
  async load(): Promise<StoredSite | null> {
    const stored = await this.database.snapshot(load);
    const { known } = this;
    if (known !== null && (stored === null || !continues(known, stored))) {
      throw new StoreError(
        'PERMANENT',
        'The database is not the one that this server has worked on, or it was restored to an earlier state: leases that were acknowledged would be lost. Restore the newest state, or start the server again to accept this one.',
      );
    }
    if (stored !== null) {
      this.known = { createdAt: stored.createdAt, lastEventSequence: stored.snapshot.site.lastEventSequence };
    }
    return stored;
  }

  async createSite(name: string, spec: SiteSpec, writer: WriterTerm): Promise<void> {
    // One statement, for the same reasons as a commit.
    const [row] = await this.connection(writer).query<{ allowed: boolean; created: boolean }>(
      `WITH fence AS (UPDATE writers SET epoch = epoch WHERE epoch = $1::bigint RETURNING id),
       site AS (
         INSERT INTO sites (id, name, resource_types)
         SELECT 1, $2::jsonb ->> 0, ARRAY (SELECT jsonb_array_elements_text($3::jsonb)) FROM fence
         ON CONFLICT (id) DO NOTHING RETURNING id
       ), node AS (
         INSERT INTO nodes (${nodes.names})
         SELECT ${nodes.values} FROM site, jsonb_to_recordset($4::jsonb) AS node(${nodes.recordSet})
       )
       SELECT EXISTS (SELECT FROM fence) AS allowed, EXISTS (SELECT FROM site) AS created`,
      [writer.epoch, toJson([name]), toJson(spec.resourceTypes), toJson(spec.nodes.map((node) => nodes.toRow(node)))],
    );
    if (row?.allowed !== true) throw fenced(writer);
    if (!row.created) throw new StoreError('PERMANENT', 'The database holds a site already.');
  }

  async commit(batch: CommitBatch, writer: WriterTerm): Promise<void> {
    const connection = this.connection(writer);
    const values = commitValues(batch, writer.epoch);
    const [written] = await connection.run(statementOf(batch), values);
    // Nothing was written, unless an earlier attempt wrote this commit and its answer was lost.
    if (written === undefined) await this.confirm(batch.id, writer);
    const { site } = batch.changes;
    if (site !== null && this.known !== null) {
      this.known = { ...this.known, lastEventSequence: site.lastEventSequence };
    }
  }

  async confirm(previous: string | null, writer: WriterTerm): Promise<void> {
    const [row] = await this.connection(writer).query<{ epoch: number; last_commit: string | null }>(
      'SELECT epoch, last_commit FROM writers',
    );
    if (row?.epoch !== writer.epoch) throw fenced(writer);
    if (row.last_commit === previous) return;
    throw new StoreError(
      'FENCED',
      'The database has moved on since it was loaded: what was planned on the older state is not written.',
    );
  }

  /**
   * Discards a lease whose stored data is inconsistent: it becomes FAILED, its plan is deleted, and its machines are
   * destroyed on their known nodes. Throws StoreError.
   */
  discardLease(leaseNumber: number, writer: WriterTerm): Promise<void> {
    return discardLease(this.connection(writer), writer, leaseNumber);
  }

  markQuarantined(leaseNumbers: readonly number[], writer: WriterTerm): Promise<void> {
    return markQuarantined(this.connection(writer), writer, leaseNumbers);
  }

  async leaseFacts(leaseNumber: number): Promise<LeaseFacts | null> {
    const rows = await this.database.query<Pick<LeaseFacts, 'name' | 'owner' | 'project'>>(
      'SELECT name, owner, project_number AS project FROM leases WHERE number = $1::int',
      [leaseNumber],
    );
    return rows[0] ? { ...rows[0], start: null, end: null } : null;
  }

  remains(leaseNumbers: readonly number[]): Promise<readonly LeaseRemains[]> {
    return readRemains(this.database, leaseNumbers);
  }

  async idempotency(
    keys: readonly { readonly principal: string; readonly key: string }[],
  ): Promise<readonly IdempotencyRecord[]> {
    if (keys.length === 0) return [];
    const rows = await this.database.query(
      `SELECT ${idempotencyKeys.selection}
       FROM jsonb_to_recordset($1::jsonb) AS wanted(principal text, key text)
         JOIN idempotency_keys USING (principal, key)`,
      [toJson(keys.map(({ principal, key }) => ({ principal, key })))],
    );
    return rows.map((row) => idempotencyKeys.toRecord(row));
  }

  async events(after: number, limit: number, leaseNumber?: number | null): Promise<readonly LeaseEventRecord[]> {
    const rows = await this.database.query(
      `SELECT ${leaseEvents.selection} FROM lease_events WHERE sequence > $1 ${leaseNumber == null ? '' : 'AND lease_number = $3'}
       ORDER BY sequence LIMIT $2`,
      leaseNumber == null ? [after, limit] : [after, limit, leaseNumber],
    );
    return rows.map((row) => leaseEvents.toRecord(row));
  }

  eventRange(): Promise<Range | null> {
    return this.rangeOf('lease_events');
  }

  deleteEventsBefore(before: number, limit: number): Promise<number> {
    return this.deleteOldest('lease_events', before, limit);
  }

  async notices(after: number, limit: number): Promise<readonly NoticeRecord[]> {
    const rows = await this.database.query(
      `SELECT ${notices.selection} FROM notices WHERE sequence > $1 ORDER BY sequence LIMIT $2`,
      [after, limit],
    );
    return rows.map((row) => notices.toRecord(row));
  }

  noticeRange(): Promise<Range | null> {
    return this.rangeOf('notices');
  }

  deleteNoticesBefore(before: number, limit: number): Promise<number> {
    return this.deleteOldest('notices', before, limit);
  }

  private async rangeOf(table: 'lease_events' | 'notices'): Promise<Range | null> {
    const [row] = await this.database.query<{ oldest: number | null; newest: number | null }>(
      `SELECT min(sequence) AS oldest, max(sequence) AS newest FROM ${table}`,
    );
    return row === undefined || row.oldest === null || row.newest === null
      ? null
      : { oldest: row.oldest, newest: row.newest };
  }

  private async deleteOldest(table: 'lease_events' | 'notices', before: number, limit: number): Promise<number> {
    // Deletes from the oldest up to the first that is young enough, so that the rest has no gap. The newest row always
    // stays, so that the stored range is known.
    const [row] = await this.database.query<{ deleted: number }>(
      `WITH head AS (SELECT sequence, at FROM ${table} ORDER BY sequence LIMIT $2),
       last AS (
         SELECT least(
           (SELECT min(sequence) FROM head WHERE at >= to_timestamp($1 / 1000.0)),
           (SELECT max(sequence) + 1 FROM head),
           (SELECT max(sequence) FROM ${table})
         ) AS stop
       ), gone AS (DELETE FROM ${table} USING last WHERE sequence < stop RETURNING 1)
       SELECT count(*) AS deleted FROM gone`,
      [before, limit],
    );
    return row?.deleted ?? 0;
  }

  async deleteBefore(what: Expiring, before: number, limit: number): Promise<number> {
    const { table, oldest } = expiring[what];
    const [row] = await this.database.query<{ deleted: number }>(
      `WITH gone AS (
         DELETE FROM ${table} WHERE ctid = ANY (ARRAY (
           SELECT row FROM (${oldest} LIMIT $2) AS oldest WHERE at < to_timestamp($1 / 1000.0)
         )) RETURNING 1
       ) SELECT count(*) AS deleted FROM gone`,
      [before, limit],
    );
    return row?.deleted ?? 0;
  }

  forward(payload: unknown, signal: AbortSignal): Promise<unknown> {
    return this.commands.forward(payload, signal);
  }

  forwarded(limit: number): Promise<readonly ForwardedCommand[]> {
    return this.commands.waiting(limit);
  }

  listen(onNotice: (notice: 'events' | 'commands') => void): Promise<AsyncDisposable> {
    return this.database.listen(({ channel, own }) => {
      if (channel === 'leasegraph_events' && !own) onNotice('events');
      if (channel === 'leasegraph_commands') onNotice('commands');
    });
  }

  version(): Promise<string | null> {
    return readVersion(this.database);
  }

  async clock(): Promise<number> {
    const [row] = await this.database.query<{ now: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
    );
    if (row === undefined) throw new StoreError('TRANSIENT', 'The database does not tell the time.');
    return row.now;
  }

  async close(): Promise<void> {
    this.commands.close();
    await this.prisma.$disconnect();
    await this.database.close();
  }

  private connection(writer: WriterTerm): WriterConnection {
    const connection = this.writers.get(writer);
    if (connection === undefined) throw new StoreError('PERMANENT', 'This right to write comes from another store.');
    return connection;
  }
}

function fenced(writer: WriterTerm): StoreError {
  return new StoreError('FENCED', `Another writer has taken over from epoch ${writer.epoch}: nothing was written.`);
}

interface Range {
  readonly oldest: number;
  readonly newest: number;
}

interface Known {
  readonly createdAt: number;
  readonly lastEventSequence: number;
}

function continues(known: Known, { createdAt, snapshot }: StoredSite): boolean {
  return createdAt === known.createdAt && snapshot.site.lastEventSequence >= known.lastEventSequence;
}
