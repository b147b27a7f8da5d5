/** Every kind of database that the project runs on: the embedded one and, where it is installed, a PostgreSQL server. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';
import { type OpenStore, openStore, type StoreOptions } from '../../src/store/index.ts';
import { type PostgresServer, postgresMissing, startPostgres } from './postgres.ts';

export interface TestDatabase {
  /** For openStore, or for a server process: DATABASE_URL and LEASEGRAPH_DATA_DIR. */
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  /** Closed when the test (or, opened outside of one, the file) is over. */
  open(options?: Partial<StoreOptions>): Promise<OpenStore>;
}

export interface DatabaseKind {
  readonly kind: 'embedded' | 'server';
  /** An own database, with all migrations applied and nothing in it. Gone when the test (or the file) is over. */
  create(): Promise<TestDatabase>;
  /** The server that holds the databases of kind `server`. */
  server(): PostgresServer;
}

/** Declares the suite once for each database; the one that is missing on this machine is skipped and says why. */
export function describeEachDatabase(name: string, suite: (database: DatabaseKind) => void): void {
  describeDatabase('embedded', name, suite);
  describeDatabase('server', name, suite);
}

export function describeDatabase(
  kind: DatabaseKind['kind'],
  name: string,
  suite: (database: DatabaseKind) => void,
): void {
  const missing = kind === 'server' ? postgresMissing : null;
  const title = `${name} (${kind} database)${missing === null ? '' : `: ${missing}`}`;
  describe.skipIf(missing !== null)(title, () => {
    const rest: (() => Promise<void>)[] = [];
    const scratch = mkdtempSync(join(tmpdir(), 'leasegraph-test-'));
    const template = join(scratch, 'template');
    let postgres: PostgresServer | null = null;
    const server = () => {
      if (postgres === null) throw new Error('There is no server.');
      return postgres;
    };
    let count = 0;

    beforeAll(async () => {
      if (kind === 'server') {
        postgres = await startPostgres();
        await postgres.sql('CREATE DATABASE template_migrated');
      }
      const databaseUrl = postgres?.url('template_migrated') ?? null;
      await (await openStore({ databaseUrl, dataDir: template })).close();
    }, 60_000);

    afterAll(async () => {
      for (const clean of rest.reverse()) await clean();
      await postgres?.dispose();
      rmSync(scratch, { recursive: true, force: true });
    }, 60_000);

    const create = async (): Promise<TestDatabase> => {
      const dataDir = join(scratch, `data-${++count}`);
      let databaseUrl: string | null = null;
      if (kind === 'server') databaseUrl = server().url(await server().createDatabase('template_migrated'));
      else execFileSync('cp', ['-R', template, dataDir]);
      const stores: OpenStore[] = [];
      atTheEnd(rest, async () => {
        for (const store of stores.reverse()) await store.close();
        rmSync(dataDir, { recursive: true, force: true });
      });
      return {
        databaseUrl,
        dataDir,
        open: async (options = {}) => {
          const store = await openStore({ databaseUrl, dataDir, ...options });
          stores.push(store);
          return store;
        },
      };
    };
    suite({ kind, create, server });
  });
}

function atTheEnd(rest: (() => Promise<void>)[], clean: () => Promise<void>): void {
  try {
    onTestFinished(clean);
  } catch {
    // Not within a test: at the end of the file then.
    rest.push(clean);
  }
}
