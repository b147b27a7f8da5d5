import { fsyncSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite, type Transaction } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import {
  channels,
  type Database,
  type MigrationSession,
  type Notification,
  type Queryable,
  type Row,
  type WriterConnection,
} from './database.ts';
import { lockDirectory } from './directory-lock.ts';
import { storeError } from './errors.ts';

/** PostgreSQL within this process, its data under `<dataDir>/db`. Throws StoreError when another process has the directory. */
export async function openEmbedded(dataDir: string): Promise<Database> {
  await mkdir(dataDir, { recursive: true });
  const lock = await lockDirectory(dataDir);
  try {
    return new EmbeddedDatabase(await PGlite.create(options(join(dataDir, 'db'))), () => lock.release());
  } catch (error) {
    await lock.release();
    throw storeError(error, `The embedded database in ${join(dataDir, 'db')} cannot be opened`);
  }
}

/** PostgreSQL within this process and without a disk, for throw-away uses. */
export async function openInMemory(): Promise<Database> {
  return new EmbeddedDatabase(await PGlite.create(), async () => {});
}

/** PGlite runs without fsync unless told; then a commit would survive this process, but not a power failure. */
function options(directory: string) {
  return {
    fs: new DurableNodeFs(directory),
    startParams: [
      ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
      ...['-c', 'fsync=on', '-c', 'wal_sync_method=fsync', '-c', 'timezone=UTC', '-c', 'jit=off'],
    ],
  };
}

/** Emscripten's file system for Node.js lets fsync do nothing. */
class DurableNodeFs extends NodeFS {
  override async init(...[database, settings]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(database, settings);
    const preRun = emscriptenOpts.preRun ?? [];
    const durable = (module: object) => {
      const { NODEFS } = module as { NODEFS: { stream_ops: { fsync?(stream: { nfd: number }): number } } };
      NODEFS.stream_ops.fsync = (stream) => {
        fsyncSync(stream.nfd);
        return 0;
      };
    };
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...preRun, durable] as typeof preRun } };
  }
}

class EmbeddedDatabase implements Database {
  readonly kind = 'embedded';
  readonly prismaAdapter;
  readonly #pglite: PGlite;
  readonly #unlock: () => Promise<void>;

  constructor(pglite: PGlite, unlock: () => Promise<void>) {
    this.#pglite = pglite;
    this.#unlock = unlock;
    this.prismaAdapter = new PrismaPGlite(pglite);
  }

  query<R extends object = Row>(text: string, values?: readonly unknown[]): Promise<R[]> {
    return query<R>(this.#pglite, text, values);
  }

  snapshot<T>(read: (database: Queryable) => Promise<T>): Promise<T> {
    return this.transaction(read);
  }

  async transaction<T>(work: (database: Queryable) => Promise<T>): Promise<T> {
    try {
      return await this.#pglite.transaction((transaction) =>
        work({ query: (text, values) => query(transaction, text, values) }),
      );
    } catch (error) {
      throw storeError(error, 'A transaction of the embedded database failed');
    }
  }

  async lockWriter(): Promise<WriterConnection> {
    const gone = new AbortController();
    return {
      query: (text, values) => this.query(text, values),
      run: (statement, values) => this.query(statement.text, values),
      lost: gone.signal,
      release: async () => gone.abort(),
    };
  }

  async listen(onNotification: (notification: Notification) => void): Promise<AsyncDisposable> {
    const silence = await Promise.all(
      channels.map((channel) => this.#pglite.listen(channel, () => onNotification({ channel, own: true }))),
    );
    return {
      [Symbol.asyncDispose]: async () => {
        if (!this.#pglite.closed) await Promise.all(silence.map((stop) => stop()));
      },
    };
  }

  async migrate<T>(work: (session: MigrationSession) => Promise<T>): Promise<T> {
    return work({
      adapter: await this.prismaAdapter.connect(),
      query: (text, values) => this.query(text, values),
      script: async (text) => {
        await this.#pglite.exec(text);
      },
    });
  }

  async close(): Promise<void> {
    try {
      if (!this.#pglite.closed) await this.#pglite.close();
    } finally {
      await this.#unlock();
    }
  }
}

async function query<R extends object>(
  client: Pick<PGlite | Transaction, 'query'>,
  text: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  try {
    return (await client.query<R>(text, [...values])).rows;
  } catch (error) {
    throw storeError(error, 'The embedded database refuses');
  }
}
