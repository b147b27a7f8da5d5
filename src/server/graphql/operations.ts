/** How large an operation may be and how long it may take. */
import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { ServerLimits } from '../limits.ts';
import { measure } from './measure.ts';
import { clientError } from './requests.ts';

interface OperationArguments {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  readonly variableValues?: unknown;
}

const operationOf = ({
  document,
  operationName,
}: OperationArguments): OperationDefinitionNode | null | undefined =>
  getOperationAST(document, operationName);

/** The error for an operation that exceeds the limits; null when it does not. */
function excess(
  args: OperationArguments,
  limits: Pick<ServerLimits, 'depth' | 'aliases' | 'cost'>,
): GraphQLError | null {
  const operation = operationOf(args);
  if (!operation) return null;
  const variables = (args.variableValues ?? {}) as Readonly<Record<string, unknown>>;
  const measured = measure(args.schema, args.document, operation, variables);
  const over = (['depth', 'aliases', 'cost'] as const).find((limit) => measured[limit] > limits[limit]);
  return over === undefined
    ? null
    : clientError(
        'OPERATION_TOO_LARGE',
        `The ${over} of this operation is ${measured[over]}; the limit is ${limits[over]}. Request less at once, in smaller pages.`,
        400,
      );
}

/** Refuses operations that exceed the limits, before anything of them is executed. */
export function useOperationLimits(limits: Pick<ServerLimits, 'depth' | 'aliases' | 'cost'>): Plugin {
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const error = excess(args, limits);
      if (error) setResultAndStopExecution({ errors: [error] });
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const error = excess(args, limits);
      if (error) setResultAndStopExecution({ errors: [error] });
    },
  };
}

const timeoutError = (milliseconds: number): GraphQLError =>
  clientError(
    'TIMEOUT',
    `There was no result within ${milliseconds / 1_000} s. A mutation may have been carried out: read the state, or repeat the request with the same idempotency key.`,
    503,
  );

/**
 * Answers in time, with or without the result. A query stops when its time is over or its client has gone: its context's `signal`
 * aborts then. A mutation that has begun is never stopped.
 */
export function useOperationTimeout(milliseconds: number): Plugin<{ readonly request?: Request }> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const stop = new AbortController();
      const isQuery = operationOf(args)?.operation === 'query';
      const { request } = args.contextValue;
      const abort = (): void => stop.abort();
      if (isQuery) {
        Object.assign(args, { signal: stop.signal });
        Object.assign(args.contextValue, { signal: stop.signal });
        if (request?.signal?.aborted) abort();
        else request?.signal?.addEventListener('abort', abort, { once: true });
      }
      setExecuteFn((given) => {
        const executing = executeFn(given);
        if (!(executing instanceof Promise)) return executing;
        return new Promise((resolve, reject) => {
          const timer = setTimeout(() => {
            resolve({ errors: [timeoutError(milliseconds)] });
            abort();
          }, milliseconds);
          executing.then(resolve, reject).finally(() => {
            clearTimeout(timer);
            request?.signal?.removeEventListener('abort', abort);
          });
        });
      });
    },
  };
}

/** Reports how long operations took and how they ended. */
export function useOperationMetrics(
  observe: (operation: string, outcome: 'ok' | 'errors', seconds: number) => void,
): Plugin {
  return {
    onExecute({ args }) {
      const started = performance.now();
      const operation = operationOf(args)?.operation ?? 'query';
      return {
        onExecuteDone({ result }) {
          const failed = 'errors' in result && (result.errors?.length ?? 0) > 0;
          observe(operation, failed ? 'errors' : 'ok', (performance.now() - started) / 1_000);
        },
      };
    },
  };
}
