import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { connectionTo, type PostgresServer } from './postgres.ts';

/** The database on the run's server that has all migrations applied and nothing in it. */
export const migratedTemplate = 'template_migrated';

/** The PostgreSQL server of this run (postgres-setup.ts); started by the first call. */
export async function sharedPostgres(): Promise<PostgresServer> {
  const socket = connect(inject('postgresBroker'), '127.0.0.1');
  await once(socket, 'connect');
  const answer: { host: string; port: number; error?: string } = JSON.parse(await text(socket));
  if (answer.error !== undefined) throw new Error(answer.error);
  return connectionTo(answer.host, answer.port);
}
