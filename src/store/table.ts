/** Mapping between records and rows. A field names its columns once; every column list in SQL is derived from it. */
import * as z from 'zod';
import { type Instant, LAST_INSTANT } from '../core/index.ts';
import { StoreError } from '../engine/ports.ts';
import type { Row } from './database.ts';

/** `instant`: timestamptz in the table, milliseconds since the epoch in transit. */
type SqlType = 'int' | 'bigint' | 'text' | 'boolean' | 'jsonb' | 'instant' | `"${string}"`;

export interface Column {
  readonly name: string;
  readonly type: SqlType;
  /** Shape of the value as the database returns it. */
  readonly shape: z.ZodType;
  /** Members of a JSON object shared by several fields, with their shapes. */
  readonly members?: Readonly<Record<string, z.ZodType>>;
  /** SQL expression for a value from elsewhere; the column is not written. */
  readonly select?: string;
  /** Written for other readers; not read here. */
  readonly writeOnly?: boolean;
}

/** A field of type T of the record type R, and its columns. */
export interface Field<T, R> {
  readonly columns: readonly Column[];
  /** Writes the value into a row. `name()` identifies the value and its record in messages. */
  write(value: T, row: Record<string, unknown>, record: R, name: () => string): void;
  read(row: Row): T;
}

export type Fields<R> = { readonly [K in keyof R]-?: Field<R[K], R> };

/** A table whose rows are records of type R, or a group of its columns. */
export class Table<R extends object> {
  /** Column names, for INSERT. */
  readonly names: string;
  /** The columns of a JSON record set, with their types. */
  readonly recordSet: string;
  /** The SELECT list from such a record set. */
  readonly values: string;
  /** For ON CONFLICT … DO UPDATE SET. */
  readonly replacement: string;
  /** For SELECT. */
  readonly selection: string;
  private readonly written: readonly Column[];
  private readonly fieldEntries: readonly (readonly [keyof R & string, Field<unknown, R>])[];
  private readonly shape: z.ZodType<Row>;

  /** `key`: the primary key columns. `label` identifies the record in messages. */
  constructor(
    readonly name: string,
    private readonly key: readonly string[],
    private readonly fields: Fields<R>,
    private readonly label: (record: R) => string,
  ) {
    this.fieldEntries = Object.entries(fields) as [keyof R & string, Field<unknown, R>][];
    const columns = merged(this.fieldEntries.flatMap(([, field]) => field.columns));
    this.written = columns.filter(({ select }) => select === undefined);
    const read = columns.filter(({ writeOnly }) => writeOnly !== true);
    this.names = this.written.map(({ name }) => name).join(', ');
    this.recordSet = this.written.map(({ name, type }) => `${name} ${type === 'instant' ? 'bigint' : type}`).join(', ');
    this.values = this.written.map(inserted).join(', ');
    this.replacement = this.changed()
      .map(({ name }) => `${name} = excluded.${name}`)
      .join(', ');
    this.selection = read.map(selectionOf).join(', ');
    this.shape = z.object(Object.fromEntries(read.map((column) => [column.name, shapeOf(column)])));
  }

  /** The same table with a subset of its fields. */
  only<K extends keyof R>(...names: K[]): Table<Pick<R, K>> {
    const fields = Object.fromEntries(names.map((name) => [name, this.fields[name]])) as unknown as Fields<Pick<R, K>>;
    return new Table(this.name, this.key, fields, this.label as (record: Pick<R, K>) => string);
  }

  /** For UPDATE … SET, from a record set named `from`. */
  assignments(from: string): string {
    return this.changed()
      .map((column) => `${column.name} = ${inserted({ ...column, name: `${from}.${column.name}` })}`)
      .join(', ');
  }

  /** Throws StoreError for an instant that PostgreSQL, RFC 3339 or Prisma cannot represent. */
  toRow(record: R): Row {
    const row: Record<string, unknown> = {};
    for (const [name, field] of this.fieldEntries) {
      field.write(record[name], row, record, () => `${this.label(record)}: ${name}`);
    }
    return row;
  }

  /** Validates the shape of a row, not its meaning. */
  parse(row: Row): { readonly record: R } | { readonly faults: string } {
    const parsed = this.shape.safeParse(row);
    if (parsed.success) return { record: this.toRecord(parsed.data) };
    return { faults: faultsOf(parsed.error) };
  }

  /** For a row whose shape needs no check. */
  toRecord(row: Row): R {
    const record: Partial<Record<keyof R, unknown>> = {};
    for (const [name, field] of this.fieldEntries) record[name] = field.read(row);
    return record as R;
  }

  private changed(): readonly Column[] {
    return this.written.filter(({ name }) => !this.key.includes(name));
  }
}

export function faultsOf(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
}

/** Several fields may share one JSON column. */
function merged(columns: readonly Column[]): readonly Column[] {
  const byName = new Map<string, Column>();
  for (const column of columns) {
    const known = byName.get(column.name);
    const members = { ...known?.members, ...column.members };
    byName.set(column.name, known === undefined ? column : { ...known, members });
  }
  return [...byName.values()];
}

const shapeOf = ({ shape, members }: Column): z.ZodType => (members === undefined ? shape : z.object(members));

/** Exact, since the column rounds to milliseconds. */
const inserted = ({ name, type }: Column): string => (type === 'instant' ? `to_timestamp(${name} / 1000.0)` : name);

function selectionOf({ name, type, select }: Column): string {
  if (select !== undefined) return `${select} AS ${name}`;
  return type === 'instant' ? `${millisecondsOf(name)} AS ${name}` : name;
}

/** SQL expression for an instant in milliseconds since the epoch. */
export function millisecondsOf(column: string): string {
  return `(extract(epoch FROM ${column}) * 1000)::bigint`;
}

// ---------------------------------------------------------------- fields

function scalar<T>(type: SqlType, shape: z.ZodType<T>) {
  return <R>(name: string): Field<T, R> => ({
    columns: [{ name, type, shape }],
    write: (value, row) => {
      row[name] = value;
    },
    read: (row) => row[name] as T,
  });
}

export const int = scalar('int', z.int());
export const bigint = scalar('bigint', z.int());
export const text = scalar('text', z.string());
export const boolean = scalar('boolean', z.boolean());

export function json<T, R>(name: string, shape: z.ZodType<T>): Field<T, R> {
  return scalar('jsonb', shape)(name);
}

/** A value of a database enum. */
export function oneOf<T extends string, R>(
  name: string,
  type: string,
  values: Readonly<Record<string, T>>,
): Field<T, R> {
  return scalar(`"${type}"`, z.enum(Object.values(values)) as unknown as z.ZodType<T>)(name);
}

/** The years 1 to 9999, which `timestamptz`, RFC 3339 and Prisma can all represent. */
const firstInstant = Date.parse('0001-01-01T00:00:00Z');

export function instant<R>(name: string): Field<Instant, R> {
  return {
    ...scalar('instant', z.int())<R>(name),
    write: (value, row, _record, what) => {
      if (!(Number.isSafeInteger(value) && value >= firstInstant && value <= LAST_INSTANT)) {
        throw new StoreError(
          'PERMANENT',
          `${what()} is ${value}, and only whole milliseconds from year 1 to year 9999 can be stored.`,
        );
      }
      row[name] = value;
    },
  };
}

/** The same, or null. */
export function optional<T, R>(field: Field<T, R>): Field<T | null, R> {
  return {
    columns: field.columns.map((column) => ({ ...column, shape: column.shape.nullable() })),
    write: (value, row, record, name) => {
      if (value !== null) return field.write(value, row, record, name);
      for (const column of field.columns) row[column.name] = null;
    },
    read: (row) => field.read(row),
  };
}

/** A member of the JSON object in the column `column`. */
export function member<T, R>(column: string, name: string, shape: z.ZodType<T>): Field<T, R> {
  return {
    columns: [{ name: column, type: 'jsonb', shape: z.unknown(), members: { [name]: shape } }],
    write: (value, row) => {
      row[column] = { ...(row[column] as object | undefined), [name]: value };
    },
    read: (row) => (row[column] as Record<string, T>)[name] as T,
  };
}
