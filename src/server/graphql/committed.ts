import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { ApiContext, Committed } from '../../api/index.ts';

/**
 * Reports committed mutations whose result failed: an error that concerns one carries the created objects in
 * `extensions.committed`. Must follow the plugins that produce errors.
 */
export function useCommittedNotice(): Plugin<ApiContext> {
  return {
    onExecute({ args }) {
      const { committed } = args.contextValue as ApiContext;
      return {
        onExecuteDone({ result, setResult }) {
          if (committed.length === 0 || !('errors' in result) || !result.errors?.length) return;
          setResult({ ...result, errors: result.errors.map((error) => withNotice(error, committed)) });
        },
      };
    },
  };
}

/** An error without a path, such as TIMEOUT, concerns the whole operation. */
function withNotice(error: GraphQLError, committed: readonly Committed[]): GraphQLError {
  const { message, nodes, source, positions, path, originalError, extensions } = error;
  const concerned = committed.filter(({ field }) => path === undefined || path[0] === field);
  if (concerned.length === 0) return error;
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    path: path ?? null,
    originalError: originalError ?? null,
    extensions: { ...extensions, committed: concerned.map(notice) },
  });
}

function notice({ field, leaseNumber, hasKey }: Committed) {
  const repetition = hasKey
    ? 'Repeating the request with its idempotency key returns it.'
    : 'Repeating the request without an idempotency key would create a second lease.';
  return { field, leaseNumber, message: `Lease ${leaseNumber} was created. ${repetition}` };
}
