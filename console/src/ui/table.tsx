import type { ReactNode } from 'react';
import { ScrollArea } from './parts.tsx';

export interface Column<Row> {
  readonly header: string;
  /**
   * `number`: to the right; `text`: may wrap; `short`: a text of a few words, which may wrap; `chart`: takes the
   * width that is left; `actions`: the header is for screen readers only.
   */
  readonly kind?: 'number' | 'text' | 'short' | 'chart' | 'actions';
  readonly cell: (row: Row) => ReactNode;
}

/** A table with a caption for screen readers. It scrolls sideways by itself where it is wider than the page. */
export function Table<Row>({
  label,
  columns,
  rows,
  keyOf,
}: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
}) {
  return (
    <ScrollArea label={label}>
      <table>
        <thead>
          <tr>
            {columns.map(({ header, kind }) => (
              <th key={header} scope="col" className={kind}>
                {kind === 'actions' ? <span className="visually-hidden">{header}</span> : header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ header, kind, cell }) => (
                <td key={header} className={kind}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}
