import { randomUUID } from 'node:crypto';
import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';

/** Whether an error was made for clients; what was thrown by accident is not theirs to see. */
const isForClients = (error: unknown): error is GraphQLError =>
  error instanceof GraphQLError && (error.originalError == null || isForClients(error.originalError));

/**
 * Clients learn of an unexpected error that there was one, and a request id; the log says more under the same id.
 * A database that is out of reach is told as such: the same request may succeed later.
 */
export const errorMask = (log: Logger, isOutage: (error: unknown) => boolean) => (error: unknown) => {
  if (isForClients(error)) {
    // The library's own, about variables and about which operation is meant, have no code.
    error.extensions.code ??= 'BAD_USER_INPUT';
    return error;
  }
  const requestId = randomUUID();
  const located = error instanceof GraphQLError ? error : null;
  const cause = located?.originalError ?? error;
  const outage = isOutage(cause);
  const fields = { err: cause, requestId, path: located?.path };
  if (outage) log.warn(fields, 'the database is out of reach');
  else log.error(fields, 'unexpected error');
  return new GraphQLError(
    outage
      ? 'The database is out of reach. Try again later.'
      : `Something went wrong on the server. Its log says more about request ${requestId}.`,
    {
      ...(located && { nodes: located.nodes ?? null, path: located.path ?? null }),
      extensions: {
        code: outage ? 'UNAVAILABLE' : 'INTERNAL',
        requestId,
        http: { status: outage ? 503 : 500 },
        unexpected: true,
      },
    },
  );
};
