import pg from 'pg';
import { StoreError } from '../engine/ports.ts';
import type { Row, Statement } from './database.ts';
import type { ConnectionSettings } from './database-url.ts';
import { describe, storeError } from './errors.ts';
import { queryable, types } from './pg.ts';
import { prepareSession } from './session.ts';

/**
 * Milliseconds of silence after which a connection is probed, and after which a probe without an answer means it is
 * dead.
 */
const pingInterval = 2_000;
const pingTimeout = 4_000;

/**
 * Settings with which the server detects within about seven seconds that this end has disappeared, so that it releases
 * its locks. Settings that a server does not support are omitted.
 */
const vigilance = `SELECT set_config('tcp_keepalives_idle', '3', false), set_config('tcp_keepalives_interval', '2', false),
  set_config('tcp_keepalives_count', '2', false), set_config('tcp_user_timeout', '7000', false),
  set_config('client_connection_check_interval', '2000', false)`;

/** A dedicated, monitored connection: it reports at once when it is lost, also without an error. */
export class Connection {
  /** Aborts with a StoreError when the connection is lost. */
  readonly lost: AbortSignal;
  private readonly client: pg.Client;
  private readonly losing = new AbortController();
  private readonly queryTimeout: number;
  private busy = 0;
  private watch: NodeJS.Timeout | null = null;

  /** Rejects with the error of `pg`. `queryTimeout` limits every query (ms). */
  static async open(settings: ConnectionSettings, queryTimeout: number): Promise<Connection> {
    const client = new pg.Client({ ...settings.config, types });
    const connection = new Connection(client, queryTimeout);
    try {
      await client.connect();
      await prepareSession(queryable(client), { ...settings, statementTimeout: queryTimeout });
      await client.query(vigilance).catch(() => {});
    } catch (error) {
      connection.lose(error);
      throw error;
    }
    connection.watch = setInterval(() => void connection.ping(), pingInterval);
    return connection;
  }

  private constructor(client: pg.Client, queryTimeout: number) {
    this.client = client;
    this.queryTimeout = queryTimeout;
    this.lost = this.losing.signal;
    client.on('error', (error) => this.lose(error));
    client.on('end', () => this.lose(new Error('Connection terminated')));
  }

  /** Process id of the server backend of this connection. */
  get processId(): number | null {
    return (this.client as unknown as { processID: number | null }).processID;
  }

  onNotification(callback: (message: pg.Notification) => void): void {
    this.client.on('notification', callback);
  }

  query<R extends object = Row>(text: string, values?: readonly unknown[]): Promise<R[]> {
    return this.send<R>({ text }, values);
  }

  /** Prepares the statement once. */
  run<R extends object = Row>(statement: Statement, values: readonly unknown[]): Promise<R[]> {
    return this.send<R>({ name: statement.name, text: statement.text }, values);
  }

  private async send<R extends object>(
    query: { readonly name?: string; readonly text: string },
    values: readonly unknown[] = [],
    timeout = this.queryTimeout + 1_000,
  ): Promise<R[]> {
    if (this.lost.aborted) throw this.lost.reason;
    this.busy++;
    try {
      // `query_timeout` is missing from the types of `pg`.
      const config: pg.QueryConfig & { query_timeout: number } = {
        ...query,
        values: [...values],
        query_timeout: timeout,
      };
      return (await this.client.query<R>(config)).rows;
    } catch (error) {
      if (!answered(error)) this.lose(error);
      throw storeError(error, 'The database refuses');
    } finally {
      this.busy--;
    }
  }

  private async ping(): Promise<void> {
    if (this.busy > 0) return;
    // A failing query ends the connection.
    await this.send({ text: 'SELECT 1' }, [], pingTimeout).catch(() => {});
  }

  private lose(error: unknown): void {
    if (this.lost.aborted) return;
    this.end(`The connection to the database is lost: ${describe(error)}`, error);
    this.socket.destroy();
  }

  async close(): Promise<void> {
    if (this.lost.aborted) return;
    this.end('The connection to the database was closed.');
    // A server that no longer answers does not close its end, either.
    const patience = setTimeout(() => this.socket.destroy(), 1_000);
    await this.client.end().catch(() => {});
    clearTimeout(patience);
  }

  private end(message: string, cause?: unknown): void {
    if (this.watch !== null) clearInterval(this.watch);
    this.losing.abort(new StoreError('TRANSIENT', message, { cause }));
  }

  private get socket(): { destroy(): void } {
    return (this.client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream;
  }
}

/** Whether the server returned the error, in which case the session continues. */
function answered(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity !== 'FATAL' && error.severity !== 'PANIC';
}
