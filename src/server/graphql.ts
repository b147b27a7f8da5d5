import { createYoga, type YogaServerInstance } from 'graphql-yoga';
import type { Logger } from 'pino';
import { type ApiServices, apiContext, schema } from '../api/index.ts';
import type { Principal } from '../engine/ports.ts';
import type { ServerLimits } from './limits.ts';
import { errorMask } from './mask.ts';
import { isDatabaseOutage } from './outage.ts';
import {
  useJsonOnly,
  useOperationLimits,
  useOperationMetrics,
  useOperationTimeout,
  useQueryCancellation,
  useTokenLimit,
} from './plugins.ts';

/** What each request brings besides itself. */
export interface RequestContext {
  readonly principal: Principal;
}

export type GraphQLServer = YogaServerInstance<RequestContext, object>;

export interface GraphQLOptions {
  readonly services: ApiServices;
  readonly limits: ServerLimits;
  readonly log: Logger;
  readonly observe: Parameters<typeof useOperationMetrics>[0];
}

/** The schema over HTTP (server-sent events included); everything that is not GraphQL has been dealt with before. */
export const createGraphQLServer = ({ services, limits, log, observe }: GraphQLOptions): GraphQLServer =>
  createYoga<RequestContext, object>({
    schema,
    context: ({ principal }) => apiContext(services, principal),
    graphiql: false,
    landingPage: false,
    cors: false,
    batching: false,
    multipart: false,
    maxRequestBodySize: limits.bodyBytes,
    maskedErrors: { maskError: errorMask(log, isDatabaseOutage) },
    // What the mask shows of an error it has also logged.
    logging: {
      debug: () => {},
      info: () => {},
      warn: (...details) => log.warn({ details }, 'GraphQL'),
      error: () => {},
    },
    plugins: [
      useJsonOnly(),
      useTokenLimit(limits.tokens),
      useOperationMetrics(observe),
      useOperationLimits(limits),
      useOperationTimeout(limits.operationTimeout),
      useQueryCancellation(),
    ],
  });
