/**
 * Vitest's global set-up: what a whole run shares. One PostgreSQL server with a migrated database that suites copy, the
 * data directory of a migrated embedded database that suites copy, and the built program. Each is made when the first
 * suite asks for it over a local connection, so that a run without such a suite does not pay for it.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openStore } from '../../src/store/index.ts';
import { startPostgres } from './postgres.ts';
import { buildProgram } from './server-process.ts';
import { migratedTemplate, type Shared } from './shared-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The local port that answers with what the run shares. */
    readonly sharedBroker: number;
  }
}

/** What is shared, and how to dispose of it. */
type Made<T> = readonly [shared: T, dispose: () => Promise<void> | void];

const makers: { readonly [K in keyof Shared]: () => Promise<Made<Shared[K]>> } = {
  server: async () => {
    const server = await startPostgres();
    await server.sql(`CREATE DATABASE ${migratedTemplate}`);
    await (await openStore({ databaseUrl: server.url(migratedTemplate), dataDir: '' })).close();
    return [{ host: server.host, port: server.port }, () => server.dispose()];
  },
  embedded: async () => {
    const scratch = mkdtempSync(join(tmpdir(), 'leasegraph-template-'));
    const dataDir = join(scratch, 'template');
    await (await openStore({ databaseUrl: null, dataDir })).close();
    return [{ dataDir }, () => rmSync(scratch, { recursive: true, force: true })];
  },
  program: async () => {
    await buildProgram();
    return [{}, () => {}];
  },
};

/** What the run has made: in the global object, because Vitest loads this file once for each of its projects. */
const run = globalThis as { leasegraphShared?: Map<string, Promise<Made<object>>> };
run.leasegraphShared ??= new Map();
const made = run.leasegraphShared;

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const make = (name: keyof Shared): Promise<Made<object>> => {
    const making = made.get(name) ?? makers[name]();
    made.set(name, making);
    return making;
  };
  const broker = createServer(async (socket) => {
    try {
      const [name] = (await once(socket, 'data')) as [Buffer];
      const [shared] = await make(name.toString() as keyof Shared);
      socket.end(JSON.stringify(shared));
    } catch (error) {
      socket.end(JSON.stringify({ error: String(error) }));
    }
  });
  broker.listen(0, '127.0.0.1');
  await once(broker, 'listening');
  const address = broker.address();
  if (address === null || typeof address === 'string') throw new Error('The broker has no port.');
  project.provide('sharedBroker', address.port);
  return async () => {
    broker.close();
    for (const making of made.values()) {
      const [, dispose] = (await making.catch(() => null)) ?? [];
      await dispose?.();
    }
    made.clear();
  };
}
