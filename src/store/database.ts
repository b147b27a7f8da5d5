import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';

/** Columns as both backends return them: int8 as number, json parsed, arrays as arrays. */
export type Row = Readonly<Record<string, unknown>>;

export interface Queryable {
  /** Throws StoreError. */
  query<R extends object = Row>(text: string, values?: readonly unknown[]): Promise<R[]>;
}

/** A statement that is prepared once per connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** The connection that holds the writer lock. All commits run on it, so that they end with the lock. */
export interface WriterConnection extends Queryable {
  run<R extends object = Row>(statement: Statement, values: readonly unknown[]): Promise<R[]>;
  /** Aborts with a StoreError when the connection, and so the lock, is lost. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

export interface Notification {
  readonly channel: Channel;
  /** Sent by the writer in this process. */
  readonly own: boolean;
}

export const channels = ['leasegraph_events', 'leasegraph_commands', 'leasegraph_answers'] as const;
export type Channel = (typeof channels)[number];

/** A session for migrations that is not shared. */
export interface MigrationSession extends Queryable {
  /** Executes several statements. */
  script(text: string): Promise<void>;
}

/** A PostgreSQL database, embedded or on a server, as the store uses it. */
export interface Database extends Queryable {
  readonly kind: 'embedded' | 'server';
  /** The address for other threads and processes. */
  readonly url: string;
  readonly prismaAdapter: SqlMigrationAwareDriverAdapterFactory;
  /** Several reads from one snapshot. */
  snapshot<T>(read: (database: Queryable) => Promise<T>): Promise<T>;
  /** Null when another process holds the lock. */
  lockWriter(): Promise<WriterConnection | null>;
  /**
   * Calls back for each notification, and for every channel after a reconnection, when notifications may have been
   * missed.
   */
  listen(onNotification: (notification: Notification) => void): Promise<AsyncDisposable>;
  migrate<T>(work: (session: MigrationSession) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
