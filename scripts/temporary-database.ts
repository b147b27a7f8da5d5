import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../src/store/database.ts';
import { openEmbedded } from '../src/store/embedded/index.ts';
import { silentLog } from '../src/store/log.ts';

/** A new and empty database that is deleted when it is closed. */
export async function temporaryDatabase(): Promise<Database> {
  const directory = await mkdtemp(join(tmpdir(), 'leasegraph-'));
  const database = await openEmbedded(directory, silentLog);
  const close = database.close.bind(database);
  database.close = async () => {
    await close();
    await rm(directory, { recursive: true, force: true });
  };
  return database;
}
