import { randomUUID } from 'node:crypto';
import { type ForwardedCommand, StoreError } from '../engine/ports.ts';
import type { Database } from './database.ts';
import { toJson } from './json.ts';

/** Seconds after which a command that no writer has taken is dropped, since its caller has stopped waiting. */
const lifetime = 60;
/** Polling interval for answers without a notification (ms). */
const pollInterval = 500;

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/** Forwards commands to the writer and returns answers, through the table `commands`. */
export class CommandMailbox {
  private readonly database: Database;
  private readonly callers = new Map<string, Waiting>();
  private listening: Promise<AsyncDisposable> | null = null;
  private timer: NodeJS.Timeout | null = null;
  private collecting = false;
  private again = false;

  constructor(database: Database) {
    this.database = database;
  }

  async forward(payload: unknown, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    this.listening ??= this.database.listen(({ channel }) => {
      if (channel === 'leasegraph_answers') void this.collect();
    });
    await this.listening;
    signal.throwIfAborted();
    const id = randomUUID();
    const answer = new Promise<unknown>((resolve, reject) => this.callers.set(id, { resolve, reject }));
    answer.catch(() => {});
    const onAbort = () => this.withdraw(id, signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await this.database.query(
        `WITH command AS (INSERT INTO commands (id, payload) VALUES ($1::uuid, $2::jsonb) RETURNING id)
         SELECT pg_notify('leasegraph_commands', '') FROM command`,
        [id, toJson(payload)],
      );
      this.timer ??= setInterval(() => void this.collect(), pollInterval);
      return await answer;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.forget(id);
    }
  }

  /** Commands waiting for the writer, oldest first. */
  async waiting(limit: number): Promise<readonly ForwardedCommand[]> {
    return this.database.query<ForwardedCommand & object>(
      `SELECT id, payload FROM commands
       WHERE answered_at IS NULL AND created_at > now() - interval '${lifetime} seconds'
       ORDER BY sequence LIMIT $1`,
      [limit],
    );
  }

  close(): void {
    for (const id of [...this.callers.keys()]) {
      this.callers.get(id)?.reject(new StoreError('TRANSIENT', 'The store is closing.'));
      this.forget(id);
    }
  }

  private async collect(): Promise<void> {
    if (this.collecting) {
      this.again = true;
      return;
    }
    this.collecting = true;
    try {
      do {
        this.again = false;
        if (this.callers.size === 0) break;
        const answered = await this.database.query<{ id: string; answer: unknown }>(
          'DELETE FROM commands WHERE id = ANY ($1::uuid[]) AND answered_at IS NOT NULL RETURNING id, answer',
          [[...this.callers.keys()]],
        );
        for (const { id, answer } of answered) this.callers.get(id)?.resolve(answer);
      } while (this.again);
    } catch {
      // The database is unreachable. The next poll or the notification after a reconnection tries again; the caller's
      // signal ends the wait.
    } finally {
      this.collecting = false;
    }
  }

  private withdraw(id: string, reason: unknown): void {
    this.callers.get(id)?.reject(reason);
    this.database.query('DELETE FROM commands WHERE id = $1::uuid AND answered_at IS NULL', [id]).catch(() => {});
  }

  private forget(id: string): void {
    this.callers.delete(id);
    if (this.callers.size === 0 && this.timer !== null) {
      clearInterval(this.timer);
      this.timer = null;
    }
  }
}
