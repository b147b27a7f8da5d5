import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ColumnTypeEnum, type SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import type { Database } from '../src/store/database.ts';
import { migrationsDirectory } from '../src/store/migrate.ts';
import { loadSchemaEngine } from './schema-engine.ts';

/** The SQL that would bring the database to what prisma/schema.prisma says; null when it is there. */
export async function schemaDrift(database: Database): Promise<string | null> {
  const path = join(migrationsDirectory(), '..', 'schema.prisma');
  const files = [{ path, content: await readFile(path, 'utf8') }];
  const adapter = readingChar(await database.prismaAdapter.connect());
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

/**
 * PostgreSQL's type "char", which its catalog uses and Prisma's adapter does not know, and one that the adapter reads
 * as text.
 */
const [char, bpchar] = [18, 1042];

/** The adapter, which the schema engine reads the catalog through, with "char" as the engine expects it. */
function readingChar(adapter: SqlDriverAdapter): SqlDriverAdapter {
  const inner = adapter as unknown as { client: Client };
  const { client } = inner;
  let characters: readonly boolean[] = [];
  const query: Client['query'] = async (...parameters) => {
    const result = await client.query(...parameters);
    characters = (result.fields ?? []).map(({ dataTypeID }) => dataTypeID === char);
    for (const field of result.fields ?? []) if (field.dataTypeID === char) field.dataTypeID = bpchar;
    return result;
  };
  inner.client = Object.assign(Object.create(client), { query });
  const queryRaw = adapter.queryRaw.bind(adapter);
  const readChar: typeof queryRaw = async (parameters) => {
    const result = await queryRaw(parameters);
    const columnTypes = result.columnTypes.map((type, at) =>
      characters[at] === true ? ColumnTypeEnum.Character : type,
    );
    return { ...result, columnTypes };
  };
  // One after the other, so that `characters` are those of the same query.
  let last: Promise<unknown> = Promise.resolve();
  adapter.queryRaw = (parameters) => {
    const result = last.then(() => readChar(parameters));
    last = result.catch(() => {});
    return result;
  };
  return adapter;
}

interface Client {
  query(...parameters: unknown[]): Promise<{ readonly fields?: { dataTypeID: number }[] }>;
}
