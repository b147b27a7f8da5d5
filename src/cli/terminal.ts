/** Where a command writes. Tests give one that keeps what is written. */
export interface Terminal {
  /** What was asked for: standard output. */
  out(text: string): void;
  /** What a person should know besides: standard error. */
  err(text: string): void;
  /** Whether a person watches standard error, so that progress may be drawn there. */
  readonly interactive: boolean;
  /** Columns of the window. */
  readonly columns: number;
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
};

/** A command cannot do what was asked, for a reason that its user should read: one line, no stack. */
export class CliError extends Error {
  override readonly name = 'CliError';

  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}
