/**
 * Every kind of database that the project runs on: the embedded one and, where it is installed, a PostgreSQL server.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';
import { type OpenStore, openStore, type StoreOptions } from '../../src/store/index.ts';
import { type OwnPostgresServer, type PostgresServer, postgresMissing, startPostgres } from './postgres.ts';
import { embeddedTemplate, migratedTemplate, sharedPostgres } from './shared-postgres.ts';

export interface TestDatabase {
  /** For openStore, or for a server process: DATABASE_URL and LEASEGRAPH_DATA_DIR. */
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  /** Closed when the test (or, opened outside of one, the file) is over. */
  open(options?: Partial<StoreOptions>): Promise<OpenStore>;
}

export interface DatabaseKind {
  readonly kind: 'embedded' | 'server';
  /** A new database with all migrations applied and nothing in it. Deleted when the test (or the file) is over. */
  create(): Promise<TestDatabase>;
  /** The server that holds the databases of kind `server`. */
  server(): PostgresServer;
}

/** A suite that stops and starts its PostgreSQL server. */
export interface OwnServerDatabase extends DatabaseKind {
  server(): OwnPostgresServer;
}

/** For suites that start server processes: each database, why it is missing, and the variables that select a new one. */
export const databaseEnvironments = [
  ['embedded', null, async () => ({})],
  [
    'server',
    postgresMissing,
    async () => {
      const postgres = await sharedPostgres();
      return { DATABASE_URL: postgres.url(await postgres.createDatabase()) };
    },
  ],
] as const;

/** Declares the suite once for each database; a database that is missing on this machine is skipped with the reason. */
export function describeEachDatabase(name: string, suite: (database: DatabaseKind) => void): void {
  describeDatabase('embedded', name, suite);
  describeDatabase('server', name, suite);
}

export function describeDatabase(
  kind: DatabaseKind['kind'],
  name: string,
  suite: (database: DatabaseKind) => void,
): void {
  if (kind === 'embedded') describeEmbedded(name, suite);
  else describeServer(name, sharedPostgres, async () => {}, suite);
}

/** For a suite that stops its server. Other suites continue with the shared one. */
export function describeOwnServer(name: string, suite: (database: OwnServerDatabase) => void): void {
  const start = async () => {
    const server = await startPostgres();
    await server.sql(`CREATE DATABASE ${migratedTemplate}`);
    await (await openStore({ databaseUrl: server.url(migratedTemplate), dataDir: '' })).close();
    return server;
  };
  describeServer(name, start, (server) => server.dispose(), suite);
}

function describeServer<S extends PostgresServer>(
  name: string,
  find: () => Promise<S>,
  release: (server: S) => Promise<void>,
  suite: (database: DatabaseKind & { server(): S }) => void,
): void {
  const reason = postgresMissing === null ? '' : `: ${postgresMissing}`;
  describe.skipIf(postgresMissing !== null)(`${name} (server database)${reason}`, () => {
    const cleanUps: (() => Promise<void>)[] = [];
    let found: S | null = null;
    const server = () => {
      if (found === null) throw new Error('There is no server.');
      return found;
    };
    beforeAll(async () => {
      found = await find();
    });
    afterAll(async () => {
      for (const cleanUp of cleanUps.reverse()) await cleanUp();
      if (found !== null) await release(found);
    });
    const create = async (): Promise<TestDatabase> => {
      const databaseName = await server().createDatabase(migratedTemplate);
      const dataDir = mkdtempSync(join(tmpdir(), 'leasegraph-test-'));
      return testDatabase(server().url(databaseName), dataDir, cleanUps, async () => {
        await server().sql(`DROP DATABASE IF EXISTS ${databaseName} WITH (FORCE)`);
      });
    };
    suite({ kind: 'server', create, server });
  });
}

function describeEmbedded(name: string, suite: (database: DatabaseKind) => void): void {
  describe(`${name} (embedded database)`, () => {
    const cleanUps: (() => Promise<void>)[] = [];
    const scratch = mkdtempSync(join(tmpdir(), 'leasegraph-test-'));
    let count = 0;
    afterAll(async () => {
      for (const cleanUp of cleanUps.reverse()) await cleanUp();
      rmSync(scratch, { recursive: true, force: true });
    });
    const create = async (): Promise<TestDatabase> => {
      const dataDir = join(scratch, `data-${++count}`);
      execFileSync('cp', ['-a', await embeddedTemplate(), dataDir]);
      return testDatabase(null, dataDir, cleanUps, async () => {});
    };
    const server = () => {
      throw new Error('The embedded database has no server.');
    };
    suite({ kind: 'embedded', create, server });
  });
}

function testDatabase(
  databaseUrl: string | null,
  dataDir: string,
  cleanUps: (() => Promise<void>)[],
  drop: () => Promise<void>,
): TestDatabase {
  const stores: OpenStore[] = [];
  runAtEnd(cleanUps, async () => {
    for (const store of stores.reverse()) await store.close();
    await drop();
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
}

/** When the test is over or, called outside of a test, when the file is. */
function runAtEnd(cleanUps: (() => Promise<void>)[], cleanUp: () => Promise<void>): void {
  try {
    onTestFinished(cleanUp);
  } catch {
    cleanUps.push(cleanUp);
  }
}
