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

/** A trace or another file of a simulation cannot be used. `message` begins with `file:line:`. Codes are stable. */
export class TraceError extends Error {
  override readonly name = 'TraceError';

  constructor(
    readonly code: TraceErrorCode,
    readonly file: string,
    /** Counts from 1; null where no line can be named. */
    readonly line: number | null,
    /** What was found and what was expected. */
    readonly detail: string,
  ) {
    super(line === null ? `${file}: ${detail}` : `${file}:${line}: ${detail}`);
  }
}
