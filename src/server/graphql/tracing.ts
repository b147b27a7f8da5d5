import type { ExecutionArgs } from 'graphql';
import { getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { type ApiContext, inTrace } from '../../api/index.ts';
import type { Tracing } from '../../engine/ports.ts';
import type { RequestContext } from './context.ts';

/** A span for each query and mutation, in which the commands of the operation are traced. */
export function useTracing(tracing: Tracing): Plugin<ApiContext & RequestContext> {
  return {
    onExecute({ args }) {
      const { document, operationName, contextValue } = args as ExecutionArgs & {
        readonly contextValue: ApiContext & RequestContext;
      };
      const operation = getOperationAST(document, operationName);
      const kind = operation?.operation ?? 'query';
      const name = operation?.name?.value;
      const span = tracing.begin(name === undefined ? kind : `${kind} ${name}`, {
        parent: contextValue.trace ?? null,
        attributes: {
          'graphql.operation.type': kind,
          ...(name !== undefined && { 'graphql.operation.name': name }),
          'leasegraph.request': contextValue.requestId,
        },
      });
      inTrace(contextValue, span.context);
      return {
        onExecuteDone({ result }) {
          const [error] = ('errors' in result && result.errors) || [];
          span.end({ error: error?.message ?? null });
        },
      };
    },
  };
}
