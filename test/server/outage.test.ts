import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenStore, openStore } from '../../src/store/index.ts';
import { type Api, apiOn } from '../api/fixture.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../support/postgres.ts';

describe.skipIf(postgresMissing !== null)(
  `an unreachable database${postgresMissing ? `: ${postgresMissing}` : ''}`,
  () => {
    let postgres: PostgresServer;
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

    it('is told as such, and forgotten when it is back', async () => {
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
        await expect.poll(async () => (await api.ask(query)).errors, { timeout: 10_000 }).toBeUndefined();
      }
    });
  },
);
