/** Prisma's and Node.js's codes for a database that cannot be reached or has no connection to spare. */
const outages = new Set([
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'P2037',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
]);
const lostConnection =
  /connection (terminated|ended|error)|server has closed the connection|can't reach database|read timeout|timeout (exceeded|expired)|PGlite is closed/i;

/** SQLSTATE classes for the same: connection, resources, shutting down or cancelled, the server's disk. */
const outageState = /^(08|53|57|58)/;

/** Whether an error means that the database is out of reach: the same call may succeed later. */
export function isDatabaseOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string' && outages.has(error.code)) return true;
  if (outageState.test(sqlState(error))) return true;
  return lostConnection.test(error.message) || isDatabaseOutage(error.cause);
}

/** The server's own code, which Prisma keeps of errors that it has no code for. */
function sqlState(error: Error): string {
  const { meta } = error as { meta?: { driverAdapterError?: { cause?: { originalCode?: unknown } } } };
  return String(meta?.driverAdapterError?.cause?.originalCode ?? '');
}
