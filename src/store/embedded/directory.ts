/** The files of an embedded database. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, open, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { StoreError } from '../../engine/ports.ts';
import { codeOf } from '../errors.ts';
import type { Launcher } from './account.ts';
import { diskFull, formerDatabase } from './postmaster.ts';
import { type Program, unavailable } from './program.ts';

/** The superuser. It needs no password, since only the owner of the socket folder can reach the server. */
export const superuser = 'leasegraph';
export const databaseName = 'postgres';

const version = '18';
/** Leaves room for the socket name within the limits of Linux (107 bytes) and macOS (103). */
const maxSocketDirectory = 85;

/** Throws StoreError for a directory without a database of this version. */
export async function assertWhole(directory: string): Promise<void> {
  const found = await readFile(join(directory, 'PG_VERSION'), 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null;
    throw error;
  });
  if (found === null) {
    throw new StoreError(
      'PERMANENT',
      `The embedded database in ${directory} is damaged: its file PG_VERSION is missing. Restore a backup, or move the directory away to begin with a new database.`,
    );
  }
  if (found.trim() === version) return;
  if (Number(found) > Number(version)) {
    throw new StoreError(
      'PERMANENT',
      `The embedded database in ${directory} was made by a newer version of Leasegraph (PostgreSQL ${found.trim()}). Run that version.`,
    );
  }
  throw formerDatabase(directory);
}

/** Creates a new database under a temporary name until it is complete. Throws StoreError. */
export async function initialize(directory: string, { initdb }: Program, launcher: Launcher): Promise<void> {
  const unfinished = `${directory}.new`;
  await rm(unfinished, { recursive: true, force: true });
  try {
    await mkdir(unfinished, { mode: 0o700 });
    await launcher.own(unfinished);
    const where = ['-D', unfinished, '-U', superuser, '--auth=trust', '--no-instructions'];
    const how = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    // Smaller files of the write-ahead log: a new database takes 30 MB instead of 45.
    const { file, args, options } = launcher.launch(initdb, [...where, ...how, '--wal-segsize=4']);
    const child = spawn(file, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    const ended = once(child, 'close') as Promise<[number | null]>;
    const [said, [status]] = await Promise.all([text(child.stderr), ended]).catch((error: Error) => {
      throw unavailable(`PostgreSQL cannot be started: ${error.message}`);
    });
    if (status !== 0) throw failure(directory, said.trim());
    await rename(unfinished, directory);
    await flush(dirname(directory));
  } catch (error) {
    // Frees the space again, since the disk may be full.
    await rm(unfinished, { recursive: true, force: true });
    throw codeOf(error) === 'ENOSPC' ? diskFull(directory) : error;
  }
}

function failure(directory: string, said: string): StoreError {
  if (/No space left on device/i.test(said)) return diskFull(directory);
  const reason = /(?:FATAL|PANIC|error): +(.*)/.exec(said)?.[1] ?? said;
  return new StoreError('PERMANENT', `The embedded database in ${directory} cannot be made: ${reason}`);
}

/** Syncs a folder so that changes of its entries survive a power failure. */
async function flush(folder: string): Promise<void> {
  // Some systems cannot open folders.
  const handle = await open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

/** A folder for the Unix socket that only the owner of the database can enter. Its path must be short. */
export async function makeSocketDirectory(dataDir: string, launcher: Launcher): Promise<string> {
  const near = join(dataDir, 'socket');
  let directory = near;
  if (Buffer.byteLength(near) > maxSocketDirectory) directory = await mkdtemp(join(tmpdir(), 'leasegraph-'));
  else {
    // A killed process leaves its socket behind.
    await rm(near, { recursive: true, force: true });
    await mkdir(near);
  }
  await chmod(directory, 0o700);
  await launcher.own(directory);
  return directory;
}
