/** Something in a file that a simulation reads is wrong. `message` begins with `file:line:`. Codes are stable. */
export class InputError extends Error {
  constructor(
    readonly code: string,
    readonly file: string,
    /** Counts from 1; null where no line can be named. */
    readonly line: number | null,
    /** What was found and what was expected. */
    readonly detail: string,
  ) {
    super(line === null ? `${file}: ${detail}` : `${file}:${line}: ${detail}`);
  }
}

export type TraceErrorCode =
  | 'FILE_UNREADABLE'
  | 'UNKNOWN_FORMAT'
  | 'LINE_TOO_LONG'
  | 'NOT_WELL_FORMED'
  | 'DOCTYPE_NOT_ALLOWED'
  | 'UNEXPECTED_CONTENT'
  | 'MISSING_CONTENT'
  | 'INVALID_VALUE'
  | 'UNKNOWN_RESOURCE_TYPE'
  | 'OUT_OF_ORDER'
  | 'EMPTY_TRACE'
  | 'NO_SITE';

/** A trace, an image list, a list of cancellations or a site cannot be used. */
export class TraceError extends InputError {
  override readonly name = 'TraceError';
  declare readonly code: TraceErrorCode;

  constructor(code: TraceErrorCode, file: string, line: number | null, detail: string) {
    super(code, file, line, detail);
  }
}

export type ConfigErrorCode =
  | 'FILE_UNREADABLE'
  | 'NOT_WELL_FORMED'
  | 'UNKNOWN_SECTION'
  | 'UNKNOWN_KEY'
  | 'DUPLICATE_KEY'
  | 'INVALID_VALUE'
  | 'MISSING_KEY';

/** A configuration cannot be used. */
export class ConfigError extends InputError {
  override readonly name = 'ConfigError';
  declare readonly code: ConfigErrorCode;

  constructor(code: ConfigErrorCode, file: string, line: number | null, detail: string) {
    super(code, file, line, detail);
  }
}
