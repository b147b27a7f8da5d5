import { existsSync } from 'node:fs';
import { rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite, type Transaction } from '@electric-sql/pglite';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import { StoreError } from '../engine/ports.ts';
import {
  channels,
  type Database,
  type MigrationSession,
  type Notification,
  type Queryable,
  type Row,
  type WriterConnection,
} from './database.ts';
import { type DirectoryLock, lockDirectory } from './directory-lock.ts';
import { EmbeddedPostgres } from './embedded-postgres.ts';
import { flush, templateFile, unpack } from './embedded-template.ts';
import { codeOf, diskFull, storeError } from './errors.ts';

/** What PostgreSQL needs to start again after the disk was full: two segments of its log (bytes). */
const roomToStart = 2 * 16 * 1024 * 1024;

/**
 * PostgreSQL within this process, its data under `<dataDir>/db`, where it is made unless it must be there; the folder above `dataDir` is there.
 * Throws StoreError when another process has the directory.
 */
export async function openEmbedded(dataDir: string, mustBeThere = false): Promise<Database> {
  const directory = join(dataDir, 'db');
  if (mustBeThere && !existsSync(directory)) {
    throw new StoreError('PERMANENT', `There is no embedded database in ${dataDir}.`);
  }
  const lock = await lockDirectory(dataDir).catch((error: unknown) => {
    throw storeError(error, `The data directory ${dataDir} cannot be used`);
  });
  try {
    if (!existsSync(directory)) await initialize(directory);
    // PGlite would take it for an empty one, and make a new database over what is there.
    if (!existsSync(join(directory, 'PG_VERSION')))
      throw damaged(directory, 'its file PG_VERSION is missing');
    const postgres = await EmbeddedPostgres.open(directory).catch((error: unknown) => {
      if (!(error instanceof Error && /^Aborted|failed to initialize/.test(error.message))) throw error;
      throw damaged(directory, 'PostgreSQL does not start on its files (or may not write them)');
    });
    return new EmbeddedDatabase(postgres, directory, lock);
  } catch (error) {
    await lock.release();
    throw storeError(error, `The embedded database in ${directory} cannot be opened`);
  }
}

const damaged = (directory: string, how: string): StoreError =>
  new StoreError(
    'PERMANENT',
    `The embedded database in ${directory} is damaged: ${how}. Put a copy of it in its place, or move it away to begin with a new one.`,
  );

/** Under another name until it is whole, so that a process killed meanwhile leaves nothing that looks like a database. */
async function initialize(directory: string): Promise<void> {
  const unfinished = `${directory}.new`;
  await rm(unfinished, { recursive: true, force: true });
  try {
    const unpacked = await unpack(unfinished, await templateFile());
    if (!unpacked) await (await EmbeddedPostgres.open(unfinished)).close();
    await rename(unfinished, directory);
  } catch (error) {
    // A disk that is full is not to stay so.
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
  // What PostgreSQL writes from now on it flushes itself; nobody needs to wait for the rest, nor mind when it is removed.
  flush(directory).catch(() => {});
}

/** PostgreSQL within this process and without a disk, for throw-away uses. */
export async function openInMemory(): Promise<Database> {
  return new EmbeddedDatabase(await PGlite.create(), null, null);
}

class EmbeddedDatabase implements Database {
  readonly kind = 'embedded';
  readonly prismaAdapter;
  readonly #directory: string | null;
  readonly #lock: DirectoryLock | null;
  readonly #subscribers = new Set<(notification: Notification) => void>();
  #postgres: PGlite | EmbeddedPostgres;
  /** Statements that this session of PostgreSQL has planned. PGlite itself plans anew each time, which doubles the cost of a commit. */
  #prepared = new Set<string>();
  #restart: Promise<void> | null = null;
  /** Aborts when PostgreSQL has given up and whoever writes must load anew. */
  #session = new AbortController();

  constructor(postgres: PGlite, directory: string | null, lock: DirectoryLock | null) {
    this.#postgres = postgres;
    this.#directory = directory;
    this.#lock = lock;
    // Prisma keeps what it is given, and PostgreSQL may have to be started anew.
    const present: Pick<PGlite, 'query' | 'exec' | 'transaction'> = {
      query: async (...parameters) => (await this.#live()).query(...parameters),
      exec: async (...parameters) => (await this.#live()).exec(...parameters),
      transaction: async (work) => (await this.#live()).transaction(work),
    };
    this.prismaAdapter = new PrismaPGlite(present as PGlite);
  }

  async query<R extends object = Row>(text: string, values?: readonly unknown[]): Promise<R[]> {
    return this.#ask(async (postgres) => rows<R>(postgres, text, values));
  }

  snapshot<T>(read: (database: Queryable) => Promise<T>): Promise<T> {
    return this.#ask((postgres) =>
      postgres.transaction((transaction) =>
        read({ query: (text, values) => rows(transaction, text, values) }),
      ),
    );
  }

  async lockWriter(): Promise<WriterConnection> {
    await this.#live();
    const released = new AbortController();
    const lost = AbortSignal.any([this.#session.signal, released.signal]);
    const query = async <R extends object>(text: string, values?: readonly unknown[]): Promise<R[]> => {
      if (lost.aborted) throw lost.reason;
      return this.query<R>(text, values);
    };
    return {
      query,
      run: async (statement, values) => {
        if (!this.#prepared.has(statement.name)) {
          await query(`PREPARE ${statement.name} AS ${statement.text}`);
          this.#prepared.add(statement.name);
        }
        return query(`EXECUTE ${statement.name}(${values.map(literal).join(', ')})`);
      },
      lost,
      release: async () => released.abort(new StoreError('TRANSIENT', 'The right to write was given back.')),
    };
  }

  async listen(onNotification: (notification: Notification) => void): Promise<AsyncDisposable> {
    if (this.#subscribers.size === 0) await this.#hear(await this.#live());
    this.#subscribers.add(onNotification);
    return {
      [Symbol.asyncDispose]: async () => {
        this.#subscribers.delete(onNotification);
      },
    };
  }

  async migrate<T>(work: (session: MigrationSession) => Promise<T>): Promise<T> {
    return work({
      query: (text, values) => this.query(text, values),
      script: async (text) => {
        await this.#ask((postgres) => postgres.exec(text));
      },
    });
  }

  async close(): Promise<void> {
    this.#subscribers.clear();
    this.#session.abort(new StoreError('TRANSIENT', 'The embedded database was closed.'));
    // A directory that another process has must not be written to, not even to close it.
    const lost = await this.#lock?.confirm().catch((error: unknown) => error);
    try {
      if (lost === undefined && panicOf(this.#postgres) === null && !this.#postgres.closed)
        await this.#postgres.close();
    } finally {
      await this.#lock?.release();
    }
  }

  async #ask<T>(question: (postgres: PGlite) => Promise<T>): Promise<T> {
    const postgres = await this.#live();
    try {
      return await question(postgres);
    } catch (error) {
      const panic = panicOf(postgres);
      if (panic !== null) {
        this.#session.abort(
          new StoreError('TRANSIENT', `The embedded database has failed: ${panic.message}`, { cause: panic }),
        );
      }
      throw storeError(error, 'The embedded database refuses');
    }
  }

  /** PostgreSQL, started anew when the disk was full and no longer is. Throws StoreError, also when the directory is no longer this process's own. */
  async #live(): Promise<PGlite> {
    await this.#lock?.confirm();
    const panic = panicOf(this.#postgres);
    if (panic !== null) {
      if (codeOf(panic) !== diskFull || this.#directory === null) {
        throw new StoreError(
          'PERMANENT',
          `The embedded database has failed and needs a restart: ${panic.message}`,
          { cause: panic },
        );
      }
      this.#restart ??= this.#startAgain(this.#directory, panic).finally(() => {
        this.#restart = null;
      });
      await this.#restart;
    }
    return this.#postgres;
  }

  async #startAgain(directory: string, panic: Error): Promise<void> {
    const { bavail, bsize } = await statfs(directory);
    if (bavail * bsize < roomToStart) throw storeError(panic, `The disk that holds ${directory} is full`);
    try {
      if (this.#postgres instanceof EmbeddedPostgres) this.#postgres.abandon();
      const postgres = await EmbeddedPostgres.open(directory);
      if (this.#subscribers.size > 0) await this.#hear(postgres);
      this.#postgres = postgres;
      this.#prepared = new Set();
      this.#session = new AbortController();
    } catch (error) {
      throw new StoreError(
        'TRANSIENT',
        `The embedded database in ${directory} does not start: ${String(error)}`,
        { cause: error },
      );
    }
    for (const channel of channels) this.#notify({ channel, own: false });
  }

  async #hear(postgres: PGlite): Promise<void> {
    for (const channel of channels)
      await postgres.listen(channel, () => this.#notify({ channel, own: true }));
  }

  #notify(notification: Notification): void {
    for (const subscriber of this.#subscribers) subscriber(notification);
  }
}

function panicOf(postgres: PGlite): Error | null {
  return postgres instanceof EmbeddedPostgres ? postgres.panic : null;
}

/** EXECUTE takes no parameters through the protocol. Only for what `toJson`, numbers, UUIDs and lists of numbers can hold. */
function literal(value: unknown): string {
  if (value === null) return 'NULL';
  const text = Array.isArray(value) ? `{${value.join(',')}}` : String(value);
  return `'${text.replaceAll("'", "''")}'`;
}

async function rows<R extends object>(
  client: Pick<PGlite | Transaction, 'query'>,
  text: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  return (await client.query<R>(text, [...values])).rows;
}
