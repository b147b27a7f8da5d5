/**
 * Verifies that the schema is complete: a partially restored backup may lack constraints or indexes without any other
 * sign.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '../engine/ports.ts';
import type { Queryable } from './database.ts';
import { migrationsDirectory } from './migrate.ts';

/** By name only, since PostgreSQL versions print definitions differently. */
const query = `
  WITH own AS (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
  SELECT format('column %s.%s', relname, attname) AS name
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid, own
    WHERE relnamespace = own.oid AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
  UNION ALL SELECT format('constraint %s of %s', conname, relname)
    FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid, own
    WHERE connamespace = own.oid AND contype IN ('c', 'f', 'p', 'u', 'x')
  UNION ALL SELECT format('index %s', relname)
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid, own
    WHERE relnamespace = own.oid AND indisvalid
  UNION ALL SELECT format('value %s of %s', enumlabel, typname)
    FROM pg_enum JOIN pg_type ON pg_type.oid = enumtypid, own
    WHERE typnamespace = own.oid`;

/** The objects in the schema, sorted; prisma/schema-objects.txt lists the required ones. */
export async function schemaObjects(database: Queryable): Promise<readonly string[]> {
  return (await database.query<{ name: string }>(query))
    .map(({ name }) => name)
    .filter((name) => !name.includes('_prisma_migrations'))
    .sort();
}

/** Throws StoreError for a schema with missing objects; additional objects are allowed. */
export async function assertSchemaWhole(database: Queryable): Promise<void> {
  const list = await readFile(join(migrationsDirectory(), '../schema-objects.txt'), 'utf8');
  const found = new Set(await schemaObjects(database));
  const missing = list.split('\n').filter((name) => name !== '' && !found.has(name));
  if (missing.length === 0) return;
  const [first, second, third, ...rest] = missing;
  const named = [first, second, third].filter((name) => name !== undefined).join(', ');
  throw new StoreError(
    'PERMANENT',
    `The database lacks parts of its schema: ${named}${rest.length > 0 ? ` and ${rest.length} more` : ''}. It was changed, or restored in part. Restore a complete backup.`,
  );
}
