import { plain, textWidth, wrap } from './text.ts';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /**
   * Columns with the highest number are left out first where the table is too wide. Without one a column always stays.
   */
  readonly drop?: number;
  /** The cell is not a column, but a line of its own beneath its row, where it is not empty. */
  readonly below?: true;
}

/** Rows under their titles. At most `width` wide, as far as leaving out columns helps. */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width = Number.POSITIVE_INFINITY,
): string {
  const texts = rows.map((row) => row.map(plain));
  const widths = columns.map(({ title }, i) =>
    texts.reduce((max, row) => Math.max(max, textWidth(row[i] ?? '')), textWidth(title)),
  );
  const shown = fitting(columns, widths, width);
  const line = (cells: readonly string[]) =>
    shown
      .map((i) => pad(cells[i] ?? '', widths[i] ?? 0, columns[i]?.align ?? 'left'))
      .join('  ')
      .trimEnd();
  const below = columns.flatMap((column, i) => (column.below ? [i] : []));
  const lines = texts.flatMap((row) => [
    line(row),
    ...below.flatMap((i) => ((row[i] ?? '') === '' ? [] : wrap(row[i] as string, width, '    '))),
  ]);
  return `${[line(columns.map(({ title }) => title)), ...lines].join('\n')}\n`;
}

function fitting(columns: readonly Column[], widths: readonly number[], width: number): number[] {
  let shown = columns.flatMap((column, i) => (column.below ? [] : [i]));
  const total = () => shown.reduce((sum, i) => sum + (widths[i] ?? 0) + 2, -2);
  while (total() > width) {
    const [first] = shown
      .filter((i) => columns[i]?.drop !== undefined)
      .sort((a, b) => (columns[b]?.drop ?? 0) - (columns[a]?.drop ?? 0));
    if (first === undefined) break;
    shown = shown.filter((i) => i !== first);
  }
  return shown;
}

function pad(text: string, width: number, align: 'left' | 'right'): string {
  const blanks = ' '.repeat(Math.max(0, width - textWidth(text)));
  return align === 'right' ? blanks + text : text + blanks;
}
