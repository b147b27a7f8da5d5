import { randomUUID } from 'node:crypto';
import { type ForwardedCommand, StoreError } from '../engine/ports.ts';
import type { Database } from './database.ts';
import { toJson } from './json.ts';

/** A command that no writer took within this time is not carried out any more: nobody waits for it (seconds). */
const lifetime = 60;
/** Answers are looked for this often even when no notification comes (ms). */
const pollInterval = 500;

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/** Passes commands to the writer, and answers back, through the table `commands`. */
export class CommandMailbox {
  readonly #database: Database;
  readonly #waiting = new Map<string, Waiting>();
  #listening: Promise<AsyncDisposable> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #collecting = false;
  #again = false;

  constructor(database: Database) {
    this.#database = database;
  }

  async forward(payload: unknown, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    this.#listening ??= this.#database.listen(({ channel }) => {
      if (channel === 'leasegraph_answers') void this.#collect();
    });
    await this.#listening;
    signal.throwIfAborted();
    const id = randomUUID();
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    answer.catch(() => {});
    const onAbort = () => this.#withdraw(id, signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await this.#database.query(
        `WITH command AS (INSERT INTO commands (id, payload) VALUES ($1::uuid, $2::jsonb) RETURNING id)
         SELECT pg_notify('leasegraph_commands', '') FROM command`,
        [id, toJson(payload)],
      );
      this.#timer ??= setInterval(() => void this.#collect(), pollInterval);
      return await answer;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#forget(id);
    }
  }

  /** Commands that wait for the writer, oldest first. */
  async waiting(limit: number): Promise<readonly ForwardedCommand[]> {
    return this.#database.query<ForwardedCommand & object>(
      `SELECT id, payload FROM commands
       WHERE answered_at IS NULL AND created_at > now() - interval '${lifetime} seconds'
       ORDER BY sequence LIMIT $1`,
      [limit],
    );
  }

  close(): void {
    for (const id of [...this.#waiting.keys()]) {
      this.#waiting.get(id)?.reject(new StoreError('TRANSIENT', 'The store is closing.'));
      this.#forget(id);
    }
  }

  async #collect(): Promise<void> {
    if (this.#collecting) {
      this.#again = true;
      return;
    }
    this.#collecting = true;
    try {
      do {
        this.#again = false;
        if (this.#waiting.size === 0) break;
        const answered = await this.#database.query<{ id: string; answer: unknown }>(
          'DELETE FROM commands WHERE id = ANY ($1::uuid[]) AND answered_at IS NOT NULL RETURNING id, answer',
          [[...this.#waiting.keys()]],
        );
        for (const { id, answer } of answered) this.#waiting.get(id)?.resolve(answer);
      } while (this.#again);
    } catch {
      // The database is away; the next poll or the notice after reconnecting tries again, and the caller's signal bounds it.
    } finally {
      this.#collecting = false;
    }
  }

  #withdraw(id: string, reason: unknown): void {
    this.#waiting.get(id)?.reject(reason);
    this.#database
      .query('DELETE FROM commands WHERE id = $1::uuid AND answered_at IS NULL', [id])
      .catch(() => {});
  }

  #forget(id: string): void {
    this.#waiting.delete(id);
    if (this.#waiting.size === 0 && this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
  }
}
