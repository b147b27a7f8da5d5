import { badInput, shown } from './client-error.ts';

export const largestPage = 100;
export const usualPage = 50;

export interface PageArguments {
  readonly first?: number | null | undefined;
  readonly last?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly before?: string | null | undefined;
}

/** What an element is ordered by: one number a column, the last of which no two elements share. */
export type Key = readonly number[];

/** Which part of an ordered list is wanted. */
export interface Window {
  /** How many, and one more that tells whether the list goes on. */
  readonly limit: number;
  /** From the end of the list: rows come in descending order. */
  readonly backward: boolean;
  readonly after: Key | null;
  readonly before: Key | null;
}

/** The largest values of columns. */
export const largestInt = 2 ** 31 - 1;
export const largestLong = Number.MAX_SAFE_INTEGER;

/** An order of a list: its name keeps cursors of other lists out. */
export interface Order<Row> {
  readonly name: string;
  /** The largest number that can stand in each column. */
  readonly largest: readonly number[];
  readonly keyOf: (row: Row) => Key;
}

const encodeCursor = <Row>(order: Order<Row>, row: Row): string =>
  Buffer.from(`${order.name}:${order.keyOf(row).join(',')}`).toString('base64url');

function decodeCursor<Row>(
  order: Order<Row>,
  argument: string,
  cursor: string | null | undefined,
): Key | null {
  if (cursor === null || cursor === undefined) return null;
  const [name, numbers = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split(':', 2);
  const key = numbers.split(',').map(Number);
  const wellFormed =
    name === order.name &&
    /^\d+(,\d+)*$/.test(numbers) &&
    key.length === order.largest.length &&
    order.largest.every((largest, column) => (key[column] ?? Infinity) <= largest);
  if (!wellFormed) throw badInput(`${argument}: ${shown(cursor)} is not a cursor of this list.`);
  return key;
}

function pageSize(argument: string, size: number): number {
  if (size < 0) throw badInput(`${argument}: ${size} is negative.`);
  if (size > largestPage)
    throw badInput(`${argument}: ${size} is more than ${largestPage}. Ask for pages, with a cursor.`);
  return size;
}

/** Throws BAD_USER_INPUT. */
export function windowOf<Row>(order: Order<Row>, args: PageArguments): Window {
  const { first, last } = args;
  if (typeof first === 'number' && typeof last === 'number') {
    throw badInput(
      '`first` and `last` exclude each other: ask for a page from the beginning or from the end.',
    );
  }
  const backward = typeof last === 'number';
  const size = backward ? pageSize('last', last) : pageSize('first', first ?? usualPage);
  return {
    limit: size + 1,
    backward,
    after: decodeCursor(order, 'after', args.after),
    before: decodeCursor(order, 'before', args.before),
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
 * A page of a list. Rows are read when something of them is asked for, and counted when `totalCount` is.
 * `read` answers with at most `limit` rows, in ascending order or (backward) in descending order.
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
