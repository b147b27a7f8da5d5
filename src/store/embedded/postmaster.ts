/** A PostgreSQL process on one data directory: starts, monitors, restarts and stops it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readlink, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../../engine/ports.ts';
import { codeOf } from '../errors.ts';
import type { StoreLog } from '../log.ts';
import type { Launcher } from './account.ts';
import { commandOf } from './directory-lock.ts';
import { type Program, unavailable } from './program.ts';

export interface PostmasterOptions {
  readonly program: Program;
  readonly launcher: Launcher;
  /** PostgreSQL's data directory. */
  readonly directory: string;
  /** Folder of its Unix socket. */
  readonly socketDirectory: string;
  readonly log: StoreLog;
}

/** A single Leasegraph process uses it, on a shared machine. */
const settings = {
  listen_addresses: '',
  max_connections: '60',
  shared_buffers: '64MB',
  min_wal_size: '32MB',
  max_wal_size: '256MB',
  // No replicas connect.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  huge_pages: 'off',
  unix_socket_permissions: '0700',
  log_line_prefix: '',
  log_min_error_statement: 'panic',
  log_timezone: 'UTC',
};

/**
 * Shuts PostgreSQL down when standard input ends. That happens however this process ends, so nothing stays running
 * after a SIGKILL.
 */
const guard = `exec 3<&0
"$@" </dev/null 3<&- &
postgres=$!
(cat <&3 >/dev/null; kill -INT $postgres 2>/dev/null) &
guard=$!
wait $postgres
status=$?
kill $guard 2>/dev/null
exit $status`;

/** Timeout for an orderly shutdown of PostgreSQL (ms). */
const stopTimeout = 10_000;
const minPause = 100;
const maxPause = 5_000;

export class Postmaster {
  private child: ChildProcess | null = null;
  private ready = Promise.resolve();
  private readonly stopping = new AbortController();

  private constructor(private readonly options: PostmasterOptions) {}

  /** Throws StoreError if PostgreSQL does not start on the directory. */
  static async start(options: PostmasterOptions): Promise<Postmaster> {
    await stopLeftover(options);
    const postmaster = new Postmaster(options);
    await postmaster.launch();
    return postmaster;
  }

  /** Ends all sessions and stops. `immediately` stops like a crash, without writing anything. */
  async stop(immediately = false): Promise<void> {
    this.stopping.abort();
    await this.ready.catch(() => {});
    const { child } = this;
    if (child === null || hasExited(child)) return;
    const exited = once(child, 'exit');
    if (!immediately) child.stdin?.end();
    const late = setTimeout(() => void this.signal('SIGQUIT'), immediately ? 0 : stopTimeout);
    await exited;
    clearTimeout(late);
  }

  private async launch(): Promise<void> {
    const { directory, launcher, program, socketDirectory } = this.options;
    const parameters = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const postgres = [program.postgres, '-D', directory, '-k', socketDirectory, ...parameters];
    const { file, args, options } = launcher.launch('/bin/sh', ['-c', guard, 'sh', ...postgres]);
    const child = spawn(file, args, {
      ...options,
      // Detached from the terminal: Ctrl-C reaches only this process, which stops PostgreSQL after finishing its work.
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
      env: { ...process.env, LC_ALL: 'C' },
    });
    this.child = child;
    child.stdin.on('error', () => {});
    this.ready = this.started(child);
    await this.ready;
    child.once('exit', () => void this.startAgain());
  }

  /** Resolves when PostgreSQL accepts connections. Its log is read afterwards, too, so that it never blocks. */
  private started(child: ChildProcess): Promise<void> {
    const { log } = this.options;
    const lines: string[] = [];
    return new Promise((resolve, reject) => {
      child.once('error', (error) => reject(unavailable(`PostgreSQL cannot be started: ${error.message}`)));
      child.once('close', (code) => reject(this.failure(lines, code)));
      if (child.stderr === null) return;
      createInterface(child.stderr).on('line', (line) => {
        // Sessions that a stop ends are reported as FATAL.
        const isTrouble = /^(FATAL|PANIC):/.test(line) && !this.stopping.signal.aborted;
        if (isTrouble) log.warn({ postgres: line }, 'message of the embedded database');
        else log.debug({ postgres: line }, 'message of the embedded database');
        lines.push(line);
        if (lines.length > 50) lines.shift();
        if (line.includes('database system is ready to accept connections')) resolve();
      });
    });
  }

  private failure(lines: readonly string[], code: number | null): StoreError {
    const { directory } = this.options;
    const text = lines.join('\n');
    if (/No space left on device/i.test(text)) return diskFull(directory);
    // Same version, but built for 32-bit processors.
    if (text.includes('database files are incompatible with server')) return formerDatabase(directory);
    const reason = lines.findLast((line) => /^(FATAL|PANIC):/.test(line)) ?? lines.at(-1);
    // Exit status of the shell: the program or its loader is missing or not executable.
    if (code === 126 || code === 127) return unavailable(`PostgreSQL cannot be executed (${reason ?? code})`);
    return new StoreError(
      'PERMANENT',
      `The embedded database in ${directory} does not start: ${reason ?? `it ended with status ${code}`}. Its files may be damaged: restore a backup, or move the directory away to begin with a new database.`,
    );
  }

  /** Restarts PostgreSQL after it ended by itself, for example because of a full disk or a lack of memory. */
  private async startAgain(): Promise<void> {
    const { log } = this.options;
    const { signal } = this.stopping;
    for (let pause = minPause; !signal.aborted; pause = Math.min(2 * pause, maxPause)) {
      log.warn({}, 'the embedded database has ended by itself and is started again');
      await sleep(pause, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        await stopLeftover(this.options);
        return await this.launch();
      } catch (error) {
        log.warn({ err: error }, 'the embedded database does not start');
      }
    }
  }

  private async signal(signal: NodeJS.Signals): Promise<void> {
    const pid = await runningOn(this.options.directory);
    if (pid !== null) send(pid, signal);
  }
}

export function diskFull(directory: string): StoreError {
  return new StoreError(
    'TRANSIENT',
    `No space is left on the disk that holds ${directory}. Make room; the embedded database itself is intact.`,
  );
}

export function formerDatabase(directory: string): StoreError {
  return new StoreError(
    'PERMANENT',
    `The embedded database in ${directory} was made by an earlier version of Leasegraph, with PGlite. Convert it: npm run convert-database -- ${dirname(directory)}`,
  );
}

/** After a kill, PostgreSQL may still be stopping, or still be running if its guard was killed, too. */
async function stopLeftover({ directory, log }: PostmasterOptions): Promise<void> {
  const pid = await runningOn(directory);
  if (pid === null) return removeStalePidFile(directory);
  log.info({ session: pid }, 'stopping the embedded database that an earlier process left running');
  const until = performance.now() + stopTimeout;
  send(pid, 'SIGINT');
  for (let signal: NodeJS.Signals | null = 'SIGQUIT'; (await runningOn(directory)) === pid; await sleep(20)) {
    if (performance.now() < until || signal === null) continue;
    send(pid, signal);
    signal = null;
  }
}

/**
 * PostgreSQL refuses to start while the process in its pid file exists. After a crash another process may have that
 * pid, which is common in containers. PostgreSQL is recognized by its working directory.
 */
async function removeStalePidFile(directory: string): Promise<void> {
  const pid = await pidIn(directory);
  const workingDirectory = pid === null ? null : await readlink(`/proc/${pid}/cwd`).catch(() => null);
  if (workingDirectory === null || workingDirectory === directory) return;
  await rm(join(directory, 'postmaster.pid'), { force: true });
}

async function pidIn(directory: string): Promise<number | null> {
  const text = await readFile(join(directory, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(text.split('\n')[0]);
  return Number.isSafeInteger(pid) && pid > 1 ? pid : null;
}

/** The PostgreSQL process that runs on the directory; null if there is none. */
async function runningOn(directory: string): Promise<number | null> {
  const pid = await pidIn(directory);
  if (pid === null) return null;
  const command = await commandOf(pid);
  return command.includes('postgres') && command.includes(directory) ? pid : null;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

const hasExited = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;
