import { LAST_INSTANT } from '../../core/index.ts';
import { Prisma } from '../../store/prisma/client.ts';
import { badInput, shown } from '../errors.ts';
import { defaultPageSize, maxLong, maxPageSize } from '../limits.ts';
import { timestamp } from './sql.ts';

export interface PageArguments {
  readonly first?: number | null | undefined;
  readonly last?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly before?: string | null | undefined;
}

/** Values of the ordering columns of an element; unique. */
export type Key = readonly number[];

/** A column that orders a list. It is never null. */
export interface Column<Row> {
  readonly sql: Prisma.Sql;
  readonly kind: 'instant' | 'number';
  readonly value: (row: Row) => number;
}

export interface Order<Row> {
  /** Identifies the list, so that cursors of other lists are rejected. */
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  readonly descending?: boolean;
}

/** The requested part of an ordered list. */
export interface Window {
  /** Number of rows to read: one more than the page size, which shows whether there is a next page. */
  readonly limit: number;
  /** From the end of the list: rows are read in reverse order. */
  readonly backward: boolean;
  readonly after: Key | null;
  readonly before: Key | null;
}

function encodeCursor<Row>({ name, columns }: Order<Row>, row: Row): string {
  return Buffer.from(`${name}:${columns.map(({ value }) => value(row)).join(',')}`).toString('base64url');
}

function decodeCursor<Row>(
  { name, columns }: Order<Row>,
  argument: string,
  cursor: string | null | undefined,
): Key | null {
  if (cursor === null || cursor === undefined) return null;
  const [list, numbers = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split(':', 2);
  const key = numbers.split(',').map(Number);
  const isValid =
    list === name &&
    /^\d+(,\d+)*$/.test(numbers) &&
    key.length === columns.length &&
    columns.every(({ kind }, index) => (key[index] ?? Infinity) <= maxOf[kind]);
  if (!isValid) throw badInput(`${shown(cursor)} in \`${argument}\` is not a cursor of this list.`);
  return key;
}

const maxOf = { instant: LAST_INSTANT, number: maxLong };

function pageSize(argument: string, size: number): number {
  if (size < 0) throw badInput(`\`${argument}\` is ${size}; it must be 0 or more.`);
  if (size > maxPageSize)
    throw badInput(`\`${argument}\` is ${size}; the maximum is ${maxPageSize}. Read the list in pages, with a cursor.`);
  return size;
}

/** Throws BAD_USER_INPUT. */
export function windowOf<Row>(order: Order<Row>, args: PageArguments): Window {
  const { first, last } = args;
  if (typeof first === 'number' && typeof last === 'number') {
    throw badInput('Use `first` or `last`, not both.');
  }
  const backward = typeof last === 'number';
  const size = backward ? pageSize('last', last) : pageSize('first', first ?? defaultPageSize);
  return {
    limit: size + 1,
    backward,
    after: decodeCursor(order, 'after', args.after),
    before: decodeCursor(order, 'before', args.before),
  };
}

/** A window as SQL: conditions of WHERE, and ORDER BY with LIMIT. */
export function pageSql<Row>({ columns, descending = false }: Order<Row>, window: Window) {
  const down = descending !== window.backward;
  const direction = down ? Prisma.sql`DESC` : Prisma.sql`ASC`;
  const row = Prisma.sql`(${Prisma.join(columns.map(({ sql }) => sql))})`;
  const beyond = (key: Key, sign: Prisma.Sql) => {
    const values = columns.map(({ kind }, index) =>
      kind === 'instant' ? timestamp(key[index] ?? 0) : Prisma.sql`${key[index] ?? 0}::bigint`,
    );
    return Prisma.sql`${row} ${sign} (${Prisma.join(values)})`;
  };
  const [later, earlier] = descending ? [Prisma.sql`<`, Prisma.sql`>`] : [Prisma.sql`>`, Prisma.sql`<`];
  return {
    conditions: [window.after && beyond(window.after, later), window.before && beyond(window.before, earlier)],
    orderAndLimit: Prisma.sql`ORDER BY ${Prisma.join(columns.map(({ sql }) => Prisma.sql`${sql} ${direction}`))}
      LIMIT ${window.limit}`,
  };
}

export interface Connection<Row> {
  readonly edges: Promise<{ readonly cursor: string; readonly node: Row }[]>;
  readonly pageInfo: Promise<{
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  }>;
  readonly totalCount: () => Promise<number>;
}

/**
 * A page of a list. Rows are read if edges or nodes are selected, and counted if `totalCount` is. `read` returns at
 * most `limit` rows in the order of `pageSql`.
 */
export function connection<Row>(
  order: Order<Row>,
  args: PageArguments,
  read: (window: Window) => Promise<readonly Row[]>,
  totalCount: () => Promise<number>,
): Connection<Row> {
  const window = windowOf(order, args);
  let reading: ReturnType<typeof readPage> | undefined;
  const readPage = async () => {
    const rows = await read(window);
    const more = rows.length === window.limit;
    const page = more ? rows.slice(0, -1) : [...rows];
    if (window.backward) page.reverse();
    return { more, edges: page.map((node) => ({ cursor: encodeCursor(order, node), node })) };
  };
  const page = () => (reading ??= readPage());
  return {
    get edges() {
      return page().then(({ edges }) => edges);
    },
    get pageInfo() {
      return page().then(({ more, edges }) => ({
        hasNextPage: window.backward ? window.before !== null : more,
        hasPreviousPage: window.backward ? more : window.after !== null,
        startCursor: edges.at(0)?.cursor ?? null,
        endCursor: edges.at(-1)?.cursor ?? null,
      }));
    },
    totalCount,
  };
}
