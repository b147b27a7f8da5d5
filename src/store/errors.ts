import { StoreError, type StoreErrorKind } from '../engine/ports.ts';

/** SQLSTATE classes and codes after which the same call may succeed. */
const transientStates = [
  '08', // connection
  '40', // serialization, deadlock
  '53', // out of connections, memory or disk
  '55P03', // lock not available in time
  '57', // cancelled, shutting down, starting up
  '58', // the server's disk or files
  '25006', // read-only: a standby that may be promoted
];

const transientCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT', // a Unix socket whose server is down
]);

/** What `pg` says, without a code, when a connection has gone. */
const lostConnection =
  /connection (terminated|ended|error)|timeout|not queryable|client was closed|closed the connection/i;

/** Any failure of the database as a StoreError with its kind; the message tells what was being done. */
export function storeError(error: unknown, doing: string): StoreError {
  if (error instanceof StoreError) return error;
  return new StoreError(kindOf(error), `${doing}: ${describe(error)}`, { cause: error });
}

export function kindOf(error: unknown): StoreErrorKind {
  if (error instanceof StoreError) return error.kind;
  const code = codeOf(error);
  if (code !== null) {
    if (transientCodes.has(code)) return 'TRANSIENT';
    if (/^[0-9A-Z]{5}$/.test(code)) {
      return transientStates.some((state) => code.startsWith(state)) ? 'TRANSIENT' : 'PERMANENT';
    }
  }
  return error instanceof Error && lostConnection.test(error.message) ? 'TRANSIENT' : 'PERMANENT';
}

export function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  if (isFileError(error)) return error.errno === noSpace ? diskFull : null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  // Several addresses of one host name were tried.
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return null;
}

/** SQLSTATE. */
export const diskFull = '53100';

/** What the file system within the embedded database throws, which is no Error; its numbers are those of WASI. */
interface FileError {
  readonly errno: number;
}
const noSpace = 51;

const isFileError = (error: object): error is FileError =>
  'name' in error && error.name === 'ErrnoError' && 'errno' in error && typeof error.errno === 'number';

const messageOf = (error: unknown): string => {
  if (error instanceof Error) return error.message;
  if (typeof error !== 'object' || error === null || !isFileError(error)) return String(error);
  return error.errno === noSpace ? 'no space is left on its disk' : `its files refuse (error ${error.errno})`;
};

export function describe(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return describe(error.errors[0]);
  const message = messageOf(error);
  const detail =
    error instanceof Error && 'detail' in error && typeof error.detail === 'string'
      ? ` (${error.detail})`
      : '';
  const code = codeOf(error);
  return `${message}${detail}${code === null || message.includes(code) ? '' : ` [${code}]`}`;
}
