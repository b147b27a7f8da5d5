/** A throw-away PgBouncer in front of a PostgreSQL server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort, type PostgresServer } from './postgres.ts';

const program = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  .map((directory) => join(directory, 'pgbouncer'))
  .find((file) => existsSync(file));

/** Why there is no PgBouncer to test with; null when there is one. */
export const pgbouncerMissing = program === undefined ? 'no PgBouncer on this machine' : null;

export interface PgBouncer extends AsyncDisposable {
  readonly port: number;
}

/** Starts PgBouncer with these settings besides those that say where everything is. */
export async function startPgBouncer(
  server: PostgresServer,
  settings: Readonly<Record<string, string | number>>,
): Promise<PgBouncer> {
  if (program === undefined) throw new Error(pgbouncerMissing ?? '');
  const directory = mkdtempSync(join(tmpdir(), 'leasegraph-pgbouncer-'));
  const port = await freePort();
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    logfile: '',
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const databases = `* = host=${server.host} port=${server.port} user=${server.user}`;
  const file = join(directory, 'pgbouncer.ini');
  writeFileSync(file, ['[databases]', databases, '[pgbouncer]', ...lines, ''].join('\n'));
  // It refuses to run as root.
  chmodSync(directory, 0o755);
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const child = spawn(program, [file], { ...user, stdio: ['ignore', 'ignore', 'pipe'] });
  await new Promise<void>((resolve, reject) => {
    const log: string[] = [];
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`PgBouncer did not start:\n${log.join('\n')}`)));
    createInterface(child.stderr).on('line', (line) => {
      log.push(line);
      if (line.includes('process up')) resolve();
    });
  });
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null) {
        child.removeAllListeners('exit');
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
