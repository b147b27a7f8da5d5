/** Sessions have the required settings, whatever the server, the database, the role or a pooler sets. */
import { tmpdir } from 'node:os';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type OpenStore, openStore, type StoreOptions } from '../../src/store/index.ts';
import { apiOn } from '../api/fixture.ts';
import { pgbouncerMissing, startPgBouncer } from '../support/pgbouncer.ts';
import { type PostgresServer, postgresMissing } from '../support/postgres.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { batch, event, lease, newSite, noon, writerOf } from './site.ts';

const missing = postgresMissing === null ? '' : `: ${postgresMissing}`;
describe.skipIf(missing !== '')(`sessions${missing}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await sharedPostgres();
  });

  const open = async (databaseUrl: string, options: Partial<StoreOptions> = {}): Promise<OpenStore> => {
    const store = await openStore({ databaseUrl, dataDir: tmpdir(), ...options });
    onTestFinished(() => store.close());
    return store;
  };

  /** What is written is read back the same, by the store, by Prisma and by the API. */
  const expectExact = async (store: OpenStore) => {
    const writer = await newSite(store);
    const kept = lease(1, { requestedStart: noon, name: "C:\\new 'x'" });
    await store.commit(batch(null, { leases: [kept], events: [event(1, 1)] }), writer);
    expect((await store.load())?.snapshot.leases).toEqual([kept]);
    expect(await store.events(0, 1)).toEqual([event(1, 1)]);
    expect((await store.prisma.lease.findFirst())?.requestedStart).toEqual(new Date(noon));
    const { data, errors } = await apiOn(store.prisma).ask('{ leases { nodes { submittedAt name } } }');
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      leases: { nodes: [{ submittedAt: new Date(noon).toISOString(), name: kept.name }] },
    });
  };

  it.each([
    ['DateStyle', 'German, DMY'],
    ['DateStyle', 'SQL, DMY'],
    ['DateStyle', 'Postgres, MDY'],
    ['TimeZone', 'America/Sao_Paulo'],
    ['IntervalStyle', 'sql_standard'],
    ['bytea_output', 'escape'],
    ['standard_conforming_strings', 'off'],
    ['default_transaction_isolation', 'serializable'],
    ['default_transaction_read_only', 'on'],
    ['search_path', 'elsewhere'],
    ['client_encoding', 'LATIN1'],
  ])('do not mind a database whose %s is "%s"', async (name, value) => {
    const database = await server.createDatabase();
    const set = name === 'DateStyle' || name === 'search_path' ? `${name} = ${value}` : `${name} = '${value}'`;
    await server.sql(`ALTER DATABASE ${database} SET ${set}`);
    await expectExact(await open(server.url(database)));
  });

  it.each([
    ['lock_timeout', '0'],
    ['idle_in_transaction_session_timeout', '0'],
    ['idle_session_timeout', '0'],
    ['statement_timeout', '15s'],
  ])('do not end early where %s is short', async (name, own) => {
    const database = await server.createDatabase();
    await server.sql(`ALTER DATABASE ${database} SET ${name} = '10s'`);
    const store = await open(server.url(database));
    expect(await store.prisma.$queryRaw`SELECT current_setting(${name}) AS value`).toEqual([{ value: own }]);
  });

  it('use the schema of the URL, with one site per schema', async () => {
    const database = await server.createDatabase();
    const url = (schema: string) => `${server.url(database)}?schema=${schema}`;
    await expect(open(url('demo'))).rejects.toThrow('it has no schema "demo". Create it: CREATE SCHEMA "demo".');
    await server.sql('CREATE SCHEMA demo; CREATE SCHEMA "Other One"', database);
    const [demo, other, plain] = await Promise.all([
      open(url('demo')),
      open(url('Other%20One')),
      open(server.url(database)),
    ]);
    await expectExact(demo);
    await expectExact(other);
    await expectExact(plain);
    const tables = await server.sql(
      `SELECT table_schema AS schema, count(*)::int FROM information_schema.tables
       WHERE table_schema IN ('public', 'demo', 'Other One') GROUP BY 1 ORDER BY 1`,
      database,
    );
    expect(new Set(tables.map(({ count }) => count)).size).toBe(1);
    expect(tables.map(({ schema }) => schema)).toEqual(['Other One', 'demo', 'public']);
  });

  it('of a standby are refused', async () => {
    // A session is only told so by what it asks: a server in recovery would take minutes to set up.
    const { prepareSession } = await import('../../src/store/session.ts');
    const session = { schema: 'public', session: {}, target: 'the database "d"', statementTimeout: 0 };
    const standby = { query: async () => [{ set: 1, encoding: 'UTF8', standby: true }] as never[] };
    await expect(prepareSession(standby, session)).rejects.toMatchObject({
      kind: 'TRANSIENT',
      message: expect.stringContaining('it is read-only, a standby of another server'),
    });
  });

  describe.skipIf(pgbouncerMissing !== null)(
    `through PgBouncer in session mode${pgbouncerMissing ? `: ${pgbouncerMissing}` : ''}`,
    () => {
      it.each([[{}], [{ ignore_startup_parameters: 'options,statement_timeout,extra_float_digits' }]])(
        'are exact, with the settings %j',
        async (settings) => {
          const database = await server.createDatabase();
          await server.sql(`ALTER DATABASE ${database} SET timezone = 'America/Sao_Paulo'`);
          await server.sql(`ALTER DATABASE ${database} SET datestyle = 'German'`);
          await using bouncer = await startPgBouncer(server, { pool_mode: 'session', ...settings });
          const store = await openStore({
            databaseUrl: server.url(database, { port: bouncer.port }),
            dataDir: tmpdir(),
          });
          try {
            await expectExact(store);
            let hear = (_: string) => {};
            const heard = new Promise<string>((resolve) => {
              hear = resolve;
            });
            await using _ = await store.listen(hear);
            const other = await openStore({ databaseUrl: server.url(database), dataDir: tmpdir() });
            const aborting = new AbortController();
            const answer = other.forward({ kind: 'nothing' }, aborting.signal).catch(() => {});
            expect(await heard).toBe('commands');
            aborting.abort();
            await answer;
            await other.close();
          } finally {
            await store.close();
          }
        },
      );

      it('share the connections that the pooler grants', async () => {
        const database = await server.createDatabase();
        await using bouncer = await startPgBouncer(server, { pool_mode: 'session', max_client_conn: 6 });
        const store = await openStore({
          databaseUrl: server.url(database, { port: bouncer.port }),
          dataDir: tmpdir(),
        });
        try {
          await newSite(store);
          await using _ = await store.listen(() => {});
          const reads = Array.from({ length: 60 }, () => store.prisma.lease.findMany());
          expect(await Promise.all(reads)).toEqual(reads.map(() => []));
        } finally {
          await store.close();
        }
      });
    },
  );

  describe('with few connections', () => {
    it.each([4, 5, 8])('queries wait for one of the connections left by a limit of %i', async (limit) => {
      const role = `limited_${limit}`;
      const database = await server.createDatabase();
      await server.sql(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT ${limit}`);
      await server.sql(`ALTER DATABASE ${database} OWNER TO ${role}`);
      const warn = vi.fn();
      const store = await open(server.url(database, { user: role }), {
        log: { debug() {}, info() {}, warn },
      });
      expect(warn).toHaveBeenCalledWith(
        { limit, of: 'role', pool: limit - 3 },
        `the role "${role}" is limited to ${limit} connections: queries share ${limit - 3} instead of 10`,
      );
      await newSite(store);
      await using _ = await store.listen(() => {});
      const api = apiOn(store.prisma);
      const query = '{ leases(first: 50) { totalCount nodes { number reservations(first: 3) { nodes { id } } } } }';
      const answers = await Promise.all(Array.from({ length: 40 }, () => api.ask(query)));
      expect(answers.flatMap(({ errors }) => errors ?? [])).toEqual([]);
    });

    it('queries wait even if other clients use the remaining connections', async () => {
      const database = await server.createDatabase();
      await server.sql(`CREATE ROLE crowded LOGIN CONNECTION LIMIT 14`);
      await server.sql(`ALTER DATABASE ${database} OWNER TO crowded`);
      const url = server.url(database, { user: 'crowded' });
      const [first, second] = [await open(url), await open(url)];
      await newSite(first);
      const reads = [first, second].flatMap((store) =>
        Array.from({ length: 40 }, () => store.prisma.$queryRaw`SELECT 1 AS one, pg_sleep(0.02)::text`),
      );
      expect(await Promise.all(reads)).toHaveLength(80);
      expect((await writerOf(first)).epoch).toBe(2);
    });

    it('a limit that is too low for one server is refused', async () => {
      const database = await server.createDatabase();
      await server.sql('CREATE ROLE starved LOGIN CONNECTION LIMIT 3');
      await expect(open(server.url(database, { user: 'starved' }))).rejects.toThrow(
        'the role "starved" is limited to 3 connections; a server of Leasegraph needs at least 4.',
      );
    });

    it('the URL sets the size of the pool', async () => {
      const database = await server.createDatabase();
      const store = await open(`${server.url(database)}?connection_limit=2&application_name=two`);
      const reads = Array.from({ length: 30 }, () => store.prisma.$queryRaw`SELECT pg_sleep(0.01)::text`);
      const sessions = server.sql(`SELECT 1 FROM pg_stat_activity WHERE application_name = 'two'`);
      await Promise.all(reads);
      expect((await sessions).length).toBeLessThanOrEqual(2);
    });
  });

  it('do without TLS if it is preferred and the server has none, but not if it is required', async () => {
    const database = await server.createDatabase();
    await expectExact(await open(`${server.url(database)}?sslmode=prefer`));
    await expect(open(`${server.url(database)}?sslmode=require`)).rejects.toThrow(
      'the server does not support TLS. Use sslmode=disable in DATABASE_URL, or enable TLS on the server.',
    );
  });
});
