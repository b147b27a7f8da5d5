/**
 * Vitest's global set-up: one PostgreSQL server for the whole run, with a migrated database that suites copy. The
 * server starts when the first suite asks for it over a local connection, so that a run without such a suite does not
 * pay for it.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { TestProject } from 'vitest/node';
import { openStore } from '../../src/store/index.ts';
import { type OwnPostgresServer, startPostgres } from './postgres.ts';
import { migratedTemplate } from './shared-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The local port that answers with the address of the run's PostgreSQL server. */
    readonly postgresBroker: number;
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  let starting: Promise<OwnPostgresServer> | null = null;
  const broker = createServer((socket) => {
    starting ??= startMigrated();
    starting.then(
      ({ host, port }) => socket.end(JSON.stringify({ host, port })),
      (error: unknown) => socket.end(JSON.stringify({ error: String(error) })),
    );
  });
  broker.listen(0, '127.0.0.1');
  await once(broker, 'listening');
  const address = broker.address();
  if (address === null || typeof address === 'string') throw new Error('The broker has no port.');
  project.provide('postgresBroker', address.port);
  return async () => {
    broker.close();
    await (await starting?.catch(() => null))?.dispose();
  };
}

async function startMigrated(): Promise<OwnPostgresServer> {
  const server = await startPostgres();
  await server.sql(`CREATE DATABASE ${migratedTemplate}`);
  const store = await openStore({ databaseUrl: server.url(migratedTemplate), dataDir: '' });
  await store.close();
  return server;
}
