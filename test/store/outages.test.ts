import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isOutage, type OpenStore, openStore } from '../../src/store/index.ts';
import { type Api, apiOn } from '../api/fixture.ts';
import { type OwnPostgresServer, postgresMissing, startPostgres } from '../support/postgres.ts';

it.each([
  'Query read timeout',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
])('an outage is what says "%s"', (message) => {
  expect(isOutage(new Error(message))).toBe(true);
  expect(isOutage(new Error('wrapped', { cause: new Error(message) }))).toBe(true);
});

describe.skipIf(postgresMissing !== null)(
  `an unreachable database${postgresMissing ? `: ${postgresMissing}` : ''}`,
  () => {
    let postgres: OwnPostgresServer;
    let store: OpenStore;
    let api: Api;

    beforeAll(async () => {
      postgres = await startPostgres();
      store = await openStore({ databaseUrl: postgres.url(await postgres.createDatabase()), dataDir: '' });
      api = apiOn(store.prisma);
    });
    afterAll(async () => {
      await store?.close();
      await postgres?.dispose();
    });

    const query = '{ leases { totalCount nodes { reservations { totalCount } } } nodes { totalCount } }';

    it('answers 200 nested queries that arrive together, with a few connections', async () => {
      const answers = await Promise.all(Array.from({ length: 200 }, () => api.ask(query)));
      expect(answers.flatMap(({ errors }) => errors ?? [])).toEqual([]);
    });

    it.each([
      ['ended by the administrator', 'pg_terminate_backend'],
      ['cancelled', 'pg_cancel_backend'],
    ])('is what a query finds whose session is %s', async (_, end) => {
      const answer = store.prisma
        .$queryRawUnsafe('SELECT pg_sleep(60)::text, $1', 'a test')
        .catch((error: unknown) => error);
      const sleeping = `FROM pg_stat_activity WHERE wait_event = 'PgSleep'`;
      await expect.poll(() => postgres.sql(`SELECT pid ${sleeping}`)).toHaveLength(1);
      await postgres.sql(`SELECT ${end}(pid) ${sleeping}`);
      expect(isOutage(await answer)).toBe(true);
    });

    it.each(['TCP', 'a Unix socket'])('is UNAVAILABLE until the server is back, over %s', async (transport) => {
      const database = await postgres.createDatabase();
      const [row] = await postgres.sql('SHOW unix_socket_directories');
      const directory = String(row?.unix_socket_directories);
      const overSocket = `postgresql://${postgres.user}@/${database}?host=${directory}&port=${postgres.port}`;
      const databaseUrl = transport === 'TCP' ? postgres.url(database) : overSocket;
      const other = await openStore({ databaseUrl, dataDir: '' });
      onTestFinished(() => other.close());
      const api = apiOn(other.prisma);
      for (const mode of ['fast', 'immediate'] as const) {
        await postgres.stop(mode);
        for (const _attempt of [1, 2, 3]) {
          const response = await api.post(query);
          const { errors } = (await response.json()) as { errors: { message: string }[] };
          expect(errors[0]).toMatchObject({
            message: 'The database is out of reach. Try again later.',
            extensions: { code: 'UNAVAILABLE', requestId: expect.any(String) },
          });
          expect(response.status).toBe(503);
        }
        await postgres.start();
        await expect.poll(async () => (await api.ask(query)).errors).toBeUndefined();
      }
    });
  },
);
