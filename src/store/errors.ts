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
  // Prisma's own: not reachable, too slow, closed, no connection to spare
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'P2034',
  'P2037',
]);

/** Messages of `pg` without a code for a lost connection. */
const lostConnection = new RegExp(
  [
    'connection (terminated|ended|error)',
    'read timeout',
    'timeout (exceeded|expired)',
    'not queryable',
    'client was closed',
    'closed the connection',
    "can't reach",
  ].join('|'),
  'i',
);

/**
 * Whether an error of the driver, of Prisma or of the store means that the database is unreachable or busy, so that the
 * same call may succeed later.
 */
export function isOutage(error: unknown): boolean {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if (kindOf(each) === 'TRANSIENT') return true;
  }
  return false;
}

/** Converts any database failure to a StoreError of the right kind; the message says what was being done. */
export function storeError(error: unknown, doing: string): StoreError {
  if (error instanceof StoreError) return error;
  return new StoreError(kindOf(error), `${doing}: ${describe(error)}`, { cause: error });
}

export function kindOf(error: unknown): StoreErrorKind {
  if (error instanceof StoreError) return error.kind;
  const code = originalCodeOf(error) ?? codeOf(error);
  if (code !== null) {
    if (transientCodes.has(code)) return 'TRANSIENT';
    // Prisma codes say less than the message: P2010 covers any failed raw query.
    if (/^[0-9A-Z]{5}$/.test(code) && !/^P[1-9]/.test(code)) {
      return transientStates.some((state) => code.startsWith(state)) ? 'TRANSIENT' : 'PERMANENT';
    }
  }
  return error instanceof Error && lostConnection.test(error.message) ? 'TRANSIENT' : 'PERMANENT';
}

/** The code of the server, which Prisma preserves for errors without a Prisma code. */
function originalCodeOf(error: unknown): string | null {
  const { meta } = (error ?? {}) as {
    meta?: { driverAdapterError?: { cause?: { originalCode?: unknown } } };
  };
  const code = meta?.driverAdapterError?.cause?.originalCode;
  return typeof code === 'string' ? code : null;
}

export function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  // Several addresses of the host name were tried.
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return null;
}

export function describe(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return describe(error.errors[0]);
  const message = error instanceof Error ? error.message : String(error);
  const detail =
    error instanceof Error && 'detail' in error && typeof error.detail === 'string' ? ` (${error.detail})` : '';
  const code = codeOf(error);
  return `${message}${detail}${code === null || message.includes(code) ? '' : ` [${code}]`}`;
}
