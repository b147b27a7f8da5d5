import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';

/** Columns as both backends deliver them: int8 as number, json parsed, arrays as arrays. */
export type Row = Readonly<Record<string, unknown>>;

export interface Queryable {
  /** Throws StoreError. */
  query<R extends object = Row>(text: string, values?: readonly unknown[]): Promise<R[]>;
}

/** A statement that is planned once a connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** The connection on which the writer holds its lock; all its commits run here, so that they end with the lock. */
export interface WriterConnection extends Queryable {
  run<R extends object = Row>(statement: Statement, values: readonly unknown[]): Promise<R[]>;
  /** Aborts when the connection, and so the lock, is gone; its reason is a StoreError. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

export interface Notification {
  readonly channel: Channel;
  /** Sent by this process's own writer. */
  readonly own: boolean;
}

export const channels = ['leasegraph_events', 'leasegraph_commands', 'leasegraph_answers'] as const;
export type Channel = (typeof channels)[number];

/** What migrations need: one session that is not shared. */
export interface MigrationSession extends Queryable {
  /** Several statements at once. */
  script(text: string): Promise<void>;
}

/** One PostgreSQL, embedded or a server; all that the store asks of it. */
export interface Database extends Queryable {
  readonly kind: 'embedded' | 'server';
  /** Where other threads and processes reach it. */
  readonly url: string;
  readonly prismaAdapter: SqlMigrationAwareDriverAdapterFactory;
  /** Several reads of one state. */
  snapshot<T>(read: (database: Queryable) => Promise<T>): Promise<T>;
  /** Null when another process holds the lock. */
  lockWriter(): Promise<WriterConnection | null>;
  /** Calls back for each notification, and for every channel after a reconnection, when some may have been missed. */
  listen(onNotification: (notification: Notification) => void): Promise<AsyncDisposable>;
  migrate<T>(work: (session: MigrationSession) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
