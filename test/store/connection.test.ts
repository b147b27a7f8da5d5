import { tmpdir } from 'node:os';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { StoreError } from '../../src/engine/ports.ts';
import { connectionSettings } from '../../src/store/database-url.ts';
import { kindOf, storeError } from '../../src/store/errors.ts';
import { openStore } from '../../src/store/index.ts';
import { freePort, type PostgresServer, postgresMissing } from '../support/postgres.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const secret = 's3cr3t-pass';
const open = (databaseUrl: string) => openStore({ databaseUrl, dataDir: tmpdir() });

/** The error with which opening fails; it must not contain the password. */
async function refusal(databaseUrl: string): Promise<StoreError> {
  const error: unknown = await open(databaseUrl).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof StoreError)) throw new Error(`not a StoreError: ${error}`);
  expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain(secret);
  return error;
}

describe('DATABASE_URL', () => {
  it.each([
    ['mysql://u:s3cr3t-pass@h/d', 'begins with "mysql:"'],
    [`u:${secret}@h/d`, 'begins with "u:"'],
    [`just-a-name-${secret}`, 'has no scheme'],
    [`postgresql://u:${secret}@[h/d`, 'not a well-formed PostgreSQL URL'],
    [`postgresql://u:${secret}@h:port/d`, 'not a well-formed PostgreSQL URL'],
  ])('%s is refused in words', async (url, words) => {
    const error = await refusal(url);
    expect(error.message).toContain('DATABASE_URL');
    expect(error.message).toContain(words);
    expect(error.kind).toBe('PERMANENT');
  });

  it.each([
    [`postgresql://u:1/${secret}@h/d`, 'special character that is not encoded'],
    [`postgresql://u:1#${secret}@h/d`, 'special character that is not encoded'],
    [`postgresql://u:1?${secret}@h/d`, 'special character that is not encoded'],
    [`postgresql://u:50%${secret}@h/d`, 'special character that is not encoded'],
    [`postgresql://u:${secret}@h1:5432,h2:5432/d`, 'names several hosts; only one is supported'],
    [`postgresql://u:${secret}@h/d?pool_size=3`, 'has the parameter "pool_size", which is not supported'],
    [`postgresql://u:${secret}@h/d?target_session_attrs=primary`, '"target_session_attrs", which is not'],
    [`postgresql://u:${secret}@h/d?schema=a&schema=b`, 'has the parameter "schema" twice'],
    [`postgresql://u:${secret}@h/d?connection_limit=none`, 'connection_limit=none: it must be a whole number'],
    [`postgresql://u:${secret}@h/d?connection_limit=0`, 'connection_limit=0: it must be a whole number'],
    [`postgresql://u:${secret}@h/d?pgbouncer=true`, 'a pooler in transaction mode is not supported'],
    [`postgresql://u:${secret}@h/d?client_encoding=LATIN1`, 'works with UTF8 only'],
    [`postgresql://u:${secret}@h/d?sslmode=bogus`, 'sslmode=bogus, which is not supported. Use one of disable'],
    [
      `postgresql://u:${secret}@h/d?sslmode=require&sslrootcert=/etc/none.crt`,
      '/etc/none.crt, which sslrootcert in DATABASE_URL names, cannot be read: ENOENT',
    ],
    [`postgresql://u:${secret}@h/d?options=-c%20search_path%3Ddemo`, 'with the parameter "schema" instead'],
    [`postgresql://u:${secret}@h/d?options=-c%20TimeZone%3DAsia/Tokyo`, 'sets timezone in its options'],
    [`postgresql://u:${secret}@h/d?options=--DateStyle%3DGerman`, 'sets datestyle in its options'],
    [`postgresql://u:${secret}@h/d?options=work_mem`, 'options that are not of the form'],
  ])('%s is refused by name', async (url, words) => {
    const error = await refusal(url);
    expect(error.message).toContain(words);
    expect(error.kind).toBe('PERMANENT');
  });

  it('may set parameters that Leasegraph does not set, and the size of the pool', () => {
    expect(
      connectionSettings(
        `postgresql://me:${secret}@db.example/leases?options=-c%20work_mem%3D64MB%20--jit%3Don&application_name=x&connection_limit=3&pool_timeout=2&connect_timeout=7&schema=Demo`,
      ),
    ).toMatchObject({
      session: { work_mem: '64MB', jit: 'on' },
      config: {
        host: 'db.example',
        port: 5432,
        user: 'me',
        password: secret,
        database: 'leases',
        application_name: 'x',
        connectionTimeoutMillis: 7_000,
        ssl: false,
      },
      poolSize: 3,
      poolTimeout: 2_000,
      schema: 'Demo',
      target: 'the database "leases" at db.example:5432',
    });
  });

  it.each([
    ['postgresql:///leases?host=/run/postgresql', '/run/postgresql', 'the database "leases" in /run/postgresql'],
    ['postgres://me@/leases?host=/tmp&port=5433', '/tmp', 'the database "leases" in /tmp'],
    ['postgresql://me@%2Ftmp%2Fsockets/leases', '/tmp/sockets', 'the database "leases" in /tmp/sockets'],
    ['postgresql://me@[::1]:5433/leases', '::1', 'the database "leases" at [::1]:5433'],
    ['postgresql://me:p%40ss%2F%23@localhost', 'localhost', 'the database "me" at localhost:5432'],
  ])('%s names its server', (url, host, target) => {
    expect(connectionSettings(url)).toMatchObject({ config: { host }, target });
  });

  it.each([
    ['disable', false],
    ['prefer', { rejectUnauthorized: false }],
    ['require', { rejectUnauthorized: false }],
    ['verify-ca', { rejectUnauthorized: true, checkServerIdentity: expect.any(Function) }],
    ['verify-full', { rejectUnauthorized: true }],
  ])('sslmode=%s means what it means to libpq', (mode, ssl) => {
    const settings = connectionSettings(`postgresql://me@h/d?sslmode=${mode}`);
    expect(settings.config.ssl).toEqual(ssl);
    expect(settings.tlsOptional).toBe(mode === 'prefer');
  });

  it('of an unreachable server is a clear error', async () => {
    const port = await freePort();
    const error = await refusal(`postgresql://me:${secret}@127.0.0.1:${port}/leases`);
    expect(error.kind).toBe('TRANSIENT');
    expect(error.message).toContain(`Cannot use the database "leases" at 127.0.0.1:${port}`);
    expect(error.message).toContain('Is the server running');
    const unknown = await refusal(`postgresql://me:${secret}@no-such-host.invalid/leases`);
    expect(unknown.kind).toBe('TRANSIENT');
    expect(unknown.message).toContain('no-such-host.invalid:5432');
  });
});

const missing = postgresMissing === null ? '' : `: ${postgresMissing}`;
describe.skipIf(missing !== '')(`a PostgreSQL server${missing}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await sharedPostgres();
    await server.sql(`CREATE ROLE guarded LOGIN PASSWORD '${secret}-right'`);
    await server.sql(`CREATE DATABASE guarded OWNER guarded`);
    await server.sql(`CREATE DATABASE foreign_db`);
  });
  const guarded = (password: string, database = 'guarded') => server.url(database, { user: `guarded:${password}` });

  it('that refuses the password is reported without the password', async () => {
    const error = await refusal(guarded(secret));
    expect(error.kind).toBe('PERMANENT');
    expect(error.message).toContain('password authentication failed for user "guarded"');
    expect(error.message).toContain('Check the user (guarded) and the password');
    const sockets = () => process.getActiveResourcesInfo().filter((each) => each === 'TCPSocketWrap').length;
    const before = sockets();
    const none = await refusal(server.url('guarded', { user: 'guarded' }));
    expect(none.message).toContain('it asks for a password, and none is given');
    // Nothing keeps the process from ending.
    await vi.waitFor(() => expect(sockets()).toBeLessThanOrEqual(before));
  });

  it('without the database is reported with the command to create it', async () => {
    const error = await refusal(guarded(`${secret}-right`, 'nowhere'));
    expect(error.kind).toBe('PERMANENT');
    expect(error.message).toContain('database "nowhere" does not exist');
    expect(error.message).toContain('createdb nowhere');
  });

  it('on which the user may not create tables is reported, and is left unchanged', async () => {
    const error = await refusal(guarded(`${secret}-right`, 'foreign_db'));
    expect(error.kind).toBe('PERMANENT');
    expect(error.message).toContain('permission denied for schema public [42501]. The user needs the right');
    expect(await server.sql(`SELECT 1 FROM pg_tables WHERE schemaname = 'public'`, 'foreign_db')).toEqual([]);
  });

  it('whose encoding cannot hold every character is refused', async () => {
    await server.sql(`CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`);
    const error = await refusal(server.url('latin'));
    expect(error.message).toContain('its encoding is LATIN1; UTF8 is needed');
  });

  it('that belongs to another program is left unchanged', async () => {
    await server.sql('CREATE DATABASE taken');
    await server.sql('CREATE TABLE leases (car text)', 'taken');
    const error = await refusal(server.url('taken'));
    expect(error.message).toContain(
      'The database holds tables of another program, such as "leases". Name another database',
    );
  });

  it('can be checked without changing it', async () => {
    const databaseUrl = server.url(await server.createDatabase());
    await expect(openStore({ databaseUrl, dataDir: '', asItIs: true })).rejects.toThrow(
      /lacks the migrations 0001_init.*"leasegraph migrate"/,
    );
    expect(
      await server.sql(`SELECT 1 FROM pg_tables WHERE schemaname = 'public'`, databaseUrl.split('/').at(-1)),
    ).toEqual([]);
    await (await open(databaseUrl)).close();
    await (await openStore({ databaseUrl, dataDir: '', asItIs: true })).close();
  });

  it('answers 200 nested reads at once through ten connections', async () => {
    const store = await open(server.url(await server.createDatabase()));
    try {
      const reads = Array.from({ length: 200 }, () =>
        store.prisma.lease.findMany({ take: 5, include: { machines: { include: { node: true } } } }),
      );
      expect(await Promise.all(reads)).toEqual(reads.map(() => []));
      const sessions = await server.sql(`SELECT 1 FROM pg_stat_activity WHERE application_name = 'leasegraph'`);
      expect(sessions.length).toBeLessThanOrEqual(10);
    } finally {
      await store.close();
    }
  });
});

describe('an error of the database', () => {
  const coded = (code: string) => Object.assign(new Error('said so'), { code });

  it.each([
    ['08006', 'TRANSIENT'],
    ['40001', 'TRANSIENT'],
    ['40P01', 'TRANSIENT'],
    ['53100', 'TRANSIENT'],
    ['53300', 'TRANSIENT'],
    ['55P03', 'TRANSIENT'],
    ['57014', 'TRANSIENT'],
    ['57P01', 'TRANSIENT'],
    ['57P03', 'TRANSIENT'],
    ['25006', 'TRANSIENT'],
    ['ECONNREFUSED', 'TRANSIENT'],
    ['ECONNRESET', 'TRANSIENT'],
    ['22P02', 'PERMANENT'],
    ['23505', 'PERMANENT'],
    ['23514', 'PERMANENT'],
    ['28P01', 'PERMANENT'],
    ['42P01', 'PERMANENT'],
    ['XX000', 'PERMANENT'],
  ])('%s is %s', (code, kind) => {
    expect(kindOf(coded(code))).toBe(kind);
    expect(storeError(coded(code), 'It fails')).toMatchObject({
      kind,
      message: `It fails: said so [${code}]`,
    });
  });

  it('without a code is classified by its message', () => {
    expect(kindOf(new Error('Connection terminated unexpectedly'))).toBe('TRANSIENT');
    expect(kindOf(new Error('timeout exceeded when trying to connect'))).toBe('TRANSIENT');
    expect(kindOf(new Error('Query read timeout'))).toBe('TRANSIENT');
    expect(kindOf(new Error('Client has encountered a connection error and is not queryable'))).toBe('TRANSIENT');
    expect(kindOf(new AggregateError([coded('ECONNREFUSED')]))).toBe('TRANSIENT');
    expect(kindOf(new TypeError('x is not a function'))).toBe('PERMANENT');
    expect(kindOf('what')).toBe('PERMANENT');
    const fenced = new StoreError('FENCED', 'gone');
    expect(storeError(fenced, 'It fails')).toBe(fenced);
  });
});
