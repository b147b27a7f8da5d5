/**
 * Writes a migration that brings the database from what prisma/migrations makes of it to prisma/schema.prisma:
 * `npm run migration -- NAME`. Read it before committing it; what Prisma cannot express (checks, rows) is added by
 * hand.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate, migrationsDirectory, readMigrations } from '../src/store/migrate.ts';
import { schemaDrift } from './schema-drift.ts';
import { temporaryDatabase } from './temporary-database.ts';

const name = process.argv[2];
if (name === undefined || !/^[a-z][a-z0-9_]*$/.test(name)) {
  console.error('Usage: npm run migration -- NAME (lower case letters, digits and _)');
  process.exit(1);
}
const database = await temporaryDatabase();
await migrate(database);
const sql = await schemaDrift(database);
await database.close();
if (sql === null) {
  console.log('The migrations already make what prisma/schema.prisma says.');
} else {
  const count = (await readMigrations()).length + 1;
  const directory = join(migrationsDirectory(), `${String(count).padStart(4, '0')}_${name}`);
  await mkdir(directory);
  await writeFile(join(directory, 'migration.sql'), sql);
  console.log(`Wrote ${directory}/migration.sql`);
}
