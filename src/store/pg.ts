import pg from 'pg';
import type { Queryable } from './database.ts';
import { storeError } from './errors.ts';

/** int8 as number: no stored value exceeds 2^53. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === pg.types.builtins.INT8
      ? Number
      : pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
};

/** Creates a client or a pool with the settings of the store. */
export function queryable(client: pg.Pool | pg.ClientBase): Queryable {
  return { query: (text, values) => query(client, text, values) };
}

export async function query<R extends object>(
  client: pg.Pool | pg.ClientBase,
  text: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  try {
    return (await client.query<R>(text, [...values])).rows;
  } catch (error) {
    throw storeError(error, 'The database refuses');
  }
}
