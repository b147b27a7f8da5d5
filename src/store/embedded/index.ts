import { existsSync } from 'node:fs';
import { access, chmod, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '../../engine/ports.ts';
import type { Database, WriterConnection } from '../database.ts';
import { type ConnectionSettings, defaultSettings } from '../database-url.ts';
import { codeOf, storeError } from '../errors.ts';
import type { StoreLog } from '../log.ts';
import { PostgresDatabase } from '../postgres-database.ts';
import { launcherFor } from './account.ts';
import { assertWhole, databaseName, initialize, makeSocketDirectory, superuser } from './directory.ts';
import { type DirectoryLock, lockDirectory } from './directory-lock.ts';
import { diskFull, Postmaster } from './postmaster.ts';
import { findProgram } from './program.ts';

/**
 * Starts PostgreSQL as a child process with its data under `<dataDir>/db`, which is created unless it must exist; the
 * parent of `dataDir` must exist. Throws StoreError when another process holds the directory or the database cannot be
 * started.
 */
export async function openEmbedded(dataDir: string, log: StoreLog, mustBeThere = false): Promise<Database> {
  if (mustBeThere && !existsSync(join(dataDir, 'db'))) {
    throw new StoreError('PERMANENT', `There is no embedded database in ${dataDir}.`);
  }
  const program = findProgram();
  const lock = await lockDirectory(dataDir).catch((error: unknown) => {
    if (codeOf(error) === 'ENOSPC') throw diskFull(dataDir);
    throw storeError(error, `The data directory ${dataDir} cannot be used`);
  });
  try {
    const home = await realpath(dataDir);
    const directory = join(home, 'db');
    const isNew = !existsSync(directory);
    if (!isNew) await assertWhole(directory);
    const launcher = await launcherFor(isNew ? home : directory, [home, join(program.home, 'bin')]);
    if (isNew) await initialize(directory, program, launcher);
    else {
      await launcher.own(directory);
      // Restored files may be accessible to others, which PostgreSQL refuses.
      await chmod(directory, 0o700);
    }
    const socketDirectory = await makeSocketDirectory(home, launcher);
    const postmaster = await Postmaster.start({ program, launcher, directory, socketDirectory, log });
    const settings: ConnectionSettings = {
      ...defaultSettings,
      config: {
        ...defaultSettings.config,
        host: socketDirectory,
        user: superuser,
        database: databaseName,
      },
      target: `the embedded database in ${directory}`,
    };
    return new EmbeddedDatabase(settings, log, postmaster, lock, directory);
  } catch (error) {
    await lock.release();
    throw storeError(error, `The embedded database in ${dataDir} cannot be opened`);
  }
}

class EmbeddedDatabase extends PostgresDatabase {
  private readonly socketDirectory: string;

  constructor(
    settings: ConnectionSettings,
    log: StoreLog,
    private readonly postmaster: Postmaster,
    private readonly lock: DirectoryLock,
    private readonly directory: string,
  ) {
    const host = encodeURIComponent(String(settings.config.host));
    super('embedded', settings, log, `postgresql://${superuser}@/${databaseName}?host=${host}`);
    this.socketDirectory = String(settings.config.host);
    lock.lost.addEventListener('abort', () => {
      log.warn({ err: lock.lost.reason }, 'stopping the embedded database');
      void postmaster.stop(true);
    });
  }

  /** Commits are acknowledged only while this process holds the directory and it exists. */
  override async lockWriter(): Promise<WriterConnection | null> {
    await this.confirm();
    const connection = await super.lockWriter();
    if (connection === null) return null;
    return {
      ...connection,
      run: async (statement, values) => {
        const rows = await connection.run(statement, values);
        await this.confirm();
        return rows as never;
      },
    };
  }

  override async close(): Promise<void> {
    await super.close();
    await this.postmaster.stop();
    await rm(this.socketDirectory, { recursive: true, force: true });
    await this.lock.release();
  }

  private async confirm(): Promise<void> {
    await this.lock.confirm();
    await access(join(this.directory, 'PG_VERSION')).catch(() => {
      throw new StoreError(
        'PERMANENT',
        `The embedded database in ${this.directory} is gone. Restore it, and start Leasegraph again.`,
      );
    });
  }
}
