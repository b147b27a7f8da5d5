import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { connectionTo, type PostgresServer } from './postgres.ts';

/** What suites of a run share (postgres-setup.ts). */
export interface Shared {
  readonly server: { readonly host: string; readonly port: number };
  readonly embedded: { readonly dataDir: string };
  readonly program: object;
}

/** The database on the run's server that has all migrations applied and nothing in it. */
export const migratedTemplate = 'template_migrated';

/** The PostgreSQL server of this run; started by the first call. */
export async function sharedPostgres(): Promise<PostgresServer> {
  const { host, port } = await shared('server');
  return connectionTo(host, port);
}

/** A data directory with a migrated embedded database, to be copied; made by the first call. */
export async function embeddedTemplate(): Promise<string> {
  return (await shared('embedded')).dataDir;
}

/** Resolves when the program is built from the sources as they are. */
export async function builtProgram(): Promise<void> {
  await shared('program');
}

async function shared<K extends keyof Shared>(name: K): Promise<Shared[K]> {
  const socket = connect(inject('sharedBroker'), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(name);
  const answer: Shared[K] & { readonly error?: string } = JSON.parse(await text(socket));
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer;
}
