/**
 * Throw-away PostgreSQL servers for tests: real ones, each in a directory and on a port of its own, never as root. The
 * time zone is not UTC on purpose. Binaries come from PG_BIN, Debian's directories or PATH. Most suites use the server
 * that postgres-setup.ts starts once per run; a suite that stops its server or changes its settings starts one of its
 * own.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { findProgram } from '../../src/store/embedded/program.ts';

const binaries = findBinaries();
const superuser = 'leasegraph';

/** Why there is no server to test on; null when there is one. */
export const postgresMissing =
  binaries === null ? 'no PostgreSQL server (initdb, postgres) on this machine: set PG_BIN or install one' : null;

export interface PostgresServer {
  readonly host: string;
  readonly port: number;
  /** The superuser of all databases, without a password. */
  readonly user: string;
  /** Also for the user `guarded`, which needs a password, once a test has created it. */
  url(database: string, at?: { readonly host?: string; readonly port?: number; readonly user?: string }): string;
  /** Runs SQL in the given database as the superuser. */
  sql(text: string, database?: string): Promise<Record<string, unknown>[]>;
  /** Returns the name of a new database. */
  createDatabase(template?: string): Promise<string>;
}

/** A server that belongs to one suite. */
export interface OwnPostgresServer extends PostgresServer {
  start(): Promise<void>;
  /** `fast` ends all sessions first, `immediate` is a crash. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  dispose(): Promise<void>;
}

export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<OwnPostgresServer> {
  if (binaries === null) throw new Error(postgresMissing ?? '');
  const identity = unprivileged();
  const directory = mkdtempSync(join(tmpdir(), 'leasegraph-postgres-'));
  if (identity !== null) chownSync(directory, identity.uid, identity.gid);
  const data = join(directory, 'data');
  const host = '127.0.0.1';
  const port = await freePort();
  execFileSync(
    join(binaries, 'initdb'),
    ['-D', data, '-U', superuser, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...identity, cwd: directory, stdio: 'pipe' },
  );
  const rules = join(data, 'pg_hba.conf');
  writeFileSync(rules, `host all guarded all scram-sha-256\n${readFileSync(rules, 'utf8')}`);
  const parameters = Object.entries({
    listen_addresses: host,
    port: String(port),
    unix_socket_directories: directory,
    fsync: 'off',
    timezone: 'America/St_Johns',
    max_connections: '200',
    ...settings,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

  let process: ChildProcess | null = null;
  const server: OwnPostgresServer = {
    ...connectionTo(host, port),
    async start() {
      const child = spawn(join(binaries, 'postgres'), ['-D', data, ...parameters], {
        ...identity,
        cwd: directory,
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...globalThis.process.env, LC_ALL: 'C' },
      });
      process = child;
      await ready(child);
    },
    async stop(mode) {
      const child = process;
      process = null;
      if (child === null || child.exitCode !== null) return;
      child.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await once(child, 'exit');
    },
    async dispose() {
      globalThis.process.off('exit', crash);
      await server.stop('immediate');
      rmSync(directory, { recursive: true, force: true });
    },
  };
  const crash = () => process?.kill('SIGQUIT');
  globalThis.process.on('exit', crash);
  await server.start();
  return server;
}

/** A server that runs already. */
export function connectionTo(host: string, port: number): PostgresServer {
  const url: PostgresServer['url'] = (database, at = {}) =>
    `postgresql://${at.user ?? superuser}@${at.host ?? host}:${at.port ?? port}/${database}`;
  const sql: PostgresServer['sql'] = async (text, database = 'postgres') => {
    const client = new pg.Client(url(database));
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  const createDatabase: PostgresServer['createDatabase'] = async (template = 'template0') => {
    // Several test processes create databases on one server.
    const name = `test_${randomBytes(8).toString('hex')}`;
    await sql(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    return name;
  };
  return { host, port, user: superuser, url, sql, createDatabase };
}

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function ready(child: ChildProcess): Promise<void> {
  const { stderr } = child;
  if (stderr === null) throw new Error('no stderr');
  const lines: string[] = [];
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${lines.join('\n')}`)));
    // Goes on reading after that, so that the server never waits for us.
    createInterface(stderr).on('line', (line) => {
      lines.push(line);
      if (line.includes('ready to accept connections')) resolve();
      if (lines.length > 100) lines.shift();
    });
  });
  child.removeAllListeners('exit');
}

function findBinaries(): string | null {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const candidates = [
    process.env.PG_BIN ?? '',
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
    embeddedBinaries(),
  ];
  const complete = (directory: string) =>
    directory !== '' && existsSync(join(directory, 'initdb')) && existsSync(join(directory, 'postgres'));
  return candidates.find(complete) ?? null;
}

/** The embedded database's own, where nothing else is installed. */
function embeddedBinaries(): string {
  try {
    return dirname(findProgram().postgres);
  } catch {
    return '';
  }
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const account = ['postgres', 'nobody'].flatMap((name) => accounts.filter((entry) => entry[0] === name))[0];
  if (account === undefined) throw new Error('Neither an account "postgres" nor "nobody" to run PostgreSQL as.');
  return { uid: Number(account[2]), gid: Number(account[3]) };
}
