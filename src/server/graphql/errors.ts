/** What clients see of errors. */
import { randomUUID } from 'node:crypto';
import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';

/** Whether an error is meant for clients. Unexpected errors are not shown. */
const isForClients = (error: unknown): error is GraphQLError =>
  error instanceof GraphQLError && (error.originalError == null || isForClients(error.originalError));

/**
 * Replaces an unexpected error with one that names the request id, under which the log has the details. An unreachable
 * database is reported as such, since the same request may succeed later.
 */
export type ErrorMask = (error: unknown, requestId?: string) => GraphQLError;

export function errorMask(log: Logger, isOutage: (error: unknown) => boolean): ErrorMask {
  return (error, requestId = randomUUID()) => {
    if (isForClients(error)) {
      // Errors of the library about variables and about the choice of the operation have no code.
      error.extensions.code ??= 'BAD_USER_INPUT';
      return error;
    }
    const located = error instanceof GraphQLError ? error : null;
    const cause = located?.originalError ?? error;
    const outage = isOutage(cause);
    const fields = { err: cause, requestId, path: located?.path };
    if (outage) log.warn(fields, 'the database is out of reach');
    else log.error(fields, 'unexpected error');
    return new GraphQLError(
      outage
        ? 'The database is out of reach. Try again later.'
        : `Something went wrong on the server. Its log has the details under request ${requestId}.`,
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
}

/**
 * Masks errors under the id of their request. (Yoga's own masking does not know the request; it covers what happens
 * outside of operations.)
 */
export function useErrorMask(mask: ErrorMask): Plugin<{ readonly requestId?: string }> {
  return {
    onExecute({ args }) {
      return {
        onExecuteDone({ result, setResult }) {
          if (Symbol.asyncIterator in result || !result.errors) return;
          const { requestId } = args.contextValue;
          setResult({ ...result, errors: result.errors.map((error) => mask(error, requestId)) });
        },
      };
    },
  };
}

/** Without data for the HTTP status. */
export function withoutInternals(errors: readonly GraphQLError[]): GraphQLError[] {
  return errors.map((error) => {
    const { http: _http, unexpected: _unexpected, ...extensions } = error.extensions;
    const { nodes = null, path = null, message } = error;
    return new GraphQLError(message, { nodes, path, extensions });
  });
}

/** A result as clients receive it. */
export function serializeResult(result: ExecutionResult): string {
  return JSON.stringify(result.errors ? { ...result, errors: withoutInternals(result.errors) } : result);
}
