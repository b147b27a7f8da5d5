import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../src/store/database.ts';
import { migrationsDirectory } from '../src/store/migrate.ts';
import { loadSchemaEngine } from './schema-engine.ts';

/**
 * The SQL that would bring an embedded database to what prisma/schema.prisma says; null when it is there. (Through the adapter for
 * servers the schema engine cannot read a schema: that does not know PostgreSQL's type "char".)
 */
export async function schemaDrift(database: Database): Promise<string | null> {
  const path = join(migrationsDirectory(), '..', 'schema.prisma');
  const files = [{ path, content: await readFile(path, 'utf8') }];
  const adapter = await database.prismaAdapter.connect();
  try {
    const engine = await loadSchemaEngine(adapter, [[path, files[0]?.content ?? '']]);
    const { stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: '.' },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    });
    engine.free();
    const sql = stdout?.replace(/^-- CreateSchema\nCREATE SCHEMA [^\n]*\n+/, '').trim() ?? '';
    return sql === '' || sql === '-- This is an empty migration.' ? null : `${sql}\n`;
  } finally {
    await adapter.dispose();
  }
}
