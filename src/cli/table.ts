export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/** Rows under their titles, in columns as wide as their widest cell. */
export function formatTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map(({ title }, i) =>
    rows.reduce((widest, row) => Math.max(widest, row[i]?.length ?? 0), title.length),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) =>
        columns[i]?.align === 'right' ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return `${[line(columns.map(({ title }) => title)), ...rows.map(line)].join('\n')}\n`;
}
