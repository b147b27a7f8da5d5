/** Limits of the size and time of operations. */
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { ServerLimits } from '../limits.ts';
import type { ReadTurns } from '../read-turns.ts';
import { type Measure, measure, type SiteSize } from './measure.ts';
import { RateLimiter } from './rate.ts';
import { clientError } from './requests.ts';

interface OperationArguments {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  readonly variableValues?: unknown;
}

const operationOf = ({ document, operationName }: OperationArguments): OperationDefinitionNode | null | undefined =>
  getOperationAST(document, operationName);

/**
 * As resolvers get them: as they are sent, durations are texts, and a list of one may be its element. Null if they are
 * not valid.
 */
function coercedVariables(
  { schema, variableValues }: OperationArguments,
  { variableDefinitions = [] }: OperationDefinitionNode,
): Readonly<Record<string, unknown>> | null {
  const given = (variableValues ?? {}) as Readonly<Record<string, unknown>>;
  const { coerced } = getVariableValues(schema, variableDefinitions, given, { maxErrors: 1 });
  return coerced ?? null;
}

type CostLimits = Pick<
  ServerLimits,
  'depth' | 'aliases' | 'cost' | 'costBurst' | 'costPerSecond' | 'costBurstPerAddress' | 'costPerSecondPerAddress'
>;

interface PrincipalContext {
  readonly principal: { readonly name: string };
  readonly address?: string | null | undefined;
}

/**
 * Measures operations before execution. Refuses those that exceed the limits or the rate of their principal or address.
 * Results of queries and mutations have the cost in `extensions.cost`.
 */
export function useOperationLimits(limits: CostLimits, site: () => SiteSize): Plugin {
  const rate = new RateLimiter({ burst: limits.costBurst, perSecond: limits.costPerSecond });
  const addresses = new RateLimiter({
    burst: limits.costBurstPerAddress,
    perSecond: limits.costPerSecondPerAddress,
  });

  const admit = (args: OperationArguments & { readonly contextValue: unknown }) => {
    const operation = operationOf(args);
    if (!operation) return null;
    const variables = coercedVariables(args, operation);
    let measured: Measure = { cost: 0, depth: 0, aliases: 0 };
    try {
      // Of variables that are not valid, the execution says so.
      if (variables) measured = measure(args.schema, args.document, operation, variables, site());
    } catch (error) {
      // A variable that may be null is null in an argument that may not.
      if (!(error instanceof GraphQLError)) throw error;
      error.extensions.code ??= 'BAD_USER_INPUT';
      return { cost: 0, error };
    }
    const over = (['depth', 'aliases', 'cost'] as const).find((limit) => measured[limit] > limits[limit]);
    if (over) return { cost: measured.cost, error: tooLarge(over, measured[over], limits[over]) };
    const { address, principal } = args.contextValue as PrincipalContext;
    const waitOfAddress = address ? addresses.wait(address, measured.cost) : 0;
    // A refused operation is not charged.
    const wait = waitOfAddress || rate.take(principal.name, measured.cost);
    if (wait > 0) {
      const spender = waitOfAddress > 0 ? 'all clients of your address' : 'you';
      return { cost: measured.cost, error: rateLimited(measured.cost, spender, wait) };
    }
    if (address) addresses.take(address, measured.cost);
    return { cost: measured.cost, error: null };
  };

  return {
    onExecute({ args, setResultAndStopExecution }) {
      const admission = admit(args);
      if (admission === null) return undefined;
      if (admission.error) {
        setResultAndStopExecution({ errors: [admission.error] });
        return undefined;
      }
      const { name } = (args.contextValue as unknown as PrincipalContext).principal;
      return {
        onExecuteDone({ result, setResult }) {
          if (Symbol.asyncIterator in result) return;
          const cost = { requested: admission.cost, throttle: rate.throttle(name) };
          setResult({ ...result, extensions: { ...result.extensions, cost } });
        },
      };
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const error = admit(args)?.error;
      if (error) setResultAndStopExecution({ errors: [error] });
    },
  };
}

const tooLarge = (limit: 'depth' | 'aliases' | 'cost', measured: number, maximum: number): GraphQLError => {
  const sentence = {
    depth: `The operation is ${measured} levels deep; the limit is ${maximum}.`,
    aliases: `The operation has ${measured} aliases; the limit is ${maximum}.`,
    cost: `The operation costs ${measured}; the limit is ${maximum}.`,
  }[limit];
  const message = `${sentence} Request less at once, in smaller pages.`;
  return clientError('OPERATION_TOO_LARGE', message, 400);
};

const rateLimited = (cost: number, spender: string, milliseconds: number): GraphQLError => {
  const seconds = Math.ceil(milliseconds / 1_000);
  return new GraphQLError(
    `The cost of this operation is ${cost}, which is more than ${spender} may spend at present. Try again in ${seconds} s.`,
    {
      extensions: {
        code: 'RATE_LIMITED',
        retryAfter: `PT${seconds}S`,
        http: { status: 429, headers: { 'retry-after': String(seconds) } },
      },
    },
  );
};

const timeoutError = (milliseconds: number): GraphQLError =>
  clientError(
    'TIMEOUT',
    `There was no result within ${milliseconds / 1_000} s. A mutation may have been carried out: read the state, or repeat the request with the same idempotency key.`,
    503,
  );

/**
 * Enforces the time limit. A query stops on timeout or when its client disconnects: the `signal` of its context aborts.
 * A running mutation is never stopped.
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

/** Queues queries, round-robin by principal. Must follow the time limit, which includes waiting. */
export function useReadTurns(turns: ReadTurns): Plugin<PrincipalContext & { readonly signal?: AbortSignal }> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      if (operationOf(args)?.operation !== 'query') return;
      setExecuteFn(async (given) => {
        const { principal, signal } = args.contextValue;
        try {
          return await turns.run({ kind: 'query', owner: principal.name, signal }, () => executeFn(given));
        } catch (error) {
          if (!signal?.aborted) throw error;
          // There is no receiver.
          return { errors: [clientError('CANCELLED', 'The client has gone.', 499)] };
        }
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
