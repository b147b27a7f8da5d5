/** Packs a migrated, empty embedded database into dist, unless it is there, and names the file: new data directories start from it. */
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { openEmbedded } from '../src/store/embedded.ts';
import { pack, templateFile } from '../src/store/embedded-template.ts';
import { migrate } from '../src/store/migrate.ts';

const file = await templateFile();
if (!existsSync(file)) {
  const directory = await mkdtemp(join(tmpdir(), 'leasegraph-template-'));
  try {
    const database = await openEmbedded(directory);
    await migrate(database);
    await database.query('VACUUM');
    await database.close();
    const unfinished = `${file}.${process.pid}`;
    await pack(join(directory, 'db'), unfinished);
    await rename(unfinished, file);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
console.log(`dist/${basename(file)}`);
