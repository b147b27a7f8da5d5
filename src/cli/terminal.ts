/** Where a command writes. Tests pass one that keeps what is written. */
export interface Terminal {
  /** What was asked for: standard output. */
  out(text: string): void;
  /** What a person should know besides: standard error. */
  err(text: string): void;
  /** Whether standard error is a terminal, so that progress may be drawn there. */
  readonly interactive: boolean;
  /** Columns of the window on standard error. */
  readonly columns: number;
  /** Columns that tables may take on standard output: those of the window, or COLUMNS; no limit in a pipe or a file. */
  readonly tableWidth: number;
}

export const processTerminal: Terminal = {
  out: (text) => {
    process.stdout.write(text);
  },
  err: (text) => {
    process.stderr.write(text);
  },
  get interactive() {
    return process.stderr.isTTY === true;
  },
  get columns() {
    return process.stderr.columns || 80;
  },
  get tableWidth() {
    const columns = Number(process.env.COLUMNS);
    if (Number.isInteger(columns) && columns > 0) return columns;
    return process.stdout.columns || Number.POSITIVE_INFINITY;
  },
};

/** Why a command failed, for its user: one line, no stack. */
export class CliError extends Error {
  override readonly name = 'CliError';

  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}
