/**
 * Writes prisma/schema-objects.txt, what a start expects in the database: `npm run schema-objects`, after each change
 * of a migration.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate, migrationsDirectory } from '../src/store/migrate.ts';
import { schemaObjects } from '../src/store/schema-objects.ts';
import { temporaryDatabase } from './temporary-database.ts';

const database = await temporaryDatabase();
try {
  await migrate(database);
  const names = await schemaObjects(database);
  await writeFile(join(migrationsDirectory(), '../schema-objects.txt'), names.map((name) => `${name}\n`).join(''));
} finally {
  await database.close();
}
