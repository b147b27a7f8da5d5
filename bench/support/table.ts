/** A benchmark's figures, printed as a Markdown table that is also readable on a terminal. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** What must be known to read it. */
  readonly notes?: readonly string[];
}

export type Cell = string | number | null;

export const formatTable = ({ title, columns, rows, notes = [] }: Table): string => {
  const texts = rows.map((row) => row.map(cellText));
  const widths = columns.map((column, at) => Math.max(column.length, 3, ...texts.map((row) => row[at]?.length ?? 0)));
  const numeric = columns.map((_, at) => rows.every((row) => typeof (row[at] ?? 0) === 'number'));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => (numeric[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, at) => (numeric[at] ? `${'-'.repeat(width + 1)}:` : '-'.repeat(width + 2))).join('|')}|`;
  const parts = [`### ${title}`, '', line(columns), rule, ...texts.map(line)];
  if (notes.length > 0) parts.push('', ...notes);
  return parts.join('\n');
};

/** Three figures are as many as a measurement here is worth. */
const cellText = (cell: Cell): string => {
  if (cell === null) return '';
  if (typeof cell === 'string') return cell;
  if (cell === 0 || Math.abs(cell) >= 100) return Math.round(cell).toLocaleString('en-US');
  return Number(cell.toPrecision(3)).toString();
};
