/** Prisma's and Node.js's codes for a database that cannot be reached or has no connection to spare. */
const outages = new Set([
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
]);
const lostConnection =
  /connection (terminated|ended|error)|server has closed the connection|can't reach database|PGlite is closed/i;

/** Whether an error means that the database is out of reach for now, so that the same call may succeed later. */
export function isDatabaseOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string' && outages.has(error.code)) return true;
  return lostConnection.test(error.message) || isDatabaseOutage(error.cause);
}
