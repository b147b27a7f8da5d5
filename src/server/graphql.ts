import { createYoga, type YogaServerInstance } from 'graphql-yoga';
import type { Logger } from 'pino';
import { type ApiServices, apiContext, schema } from '../api/index.ts';
import type { Principal } from '../engine/ports.ts';
import type { ServerLimits } from './limits.ts';
import { errorMask } from './mask.ts';
import {
  useDocumentLimits,
  useJsonInUrls,
  useJsonOnly,
  useOperationLimits,
  useOperationMetrics,
  useOperationTimeout,
  useQueryCancellation,
  useUnconditionalSubscriptions,
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
  readonly isOutage: (error: unknown) => boolean;
  readonly observe: Parameters<typeof useOperationMetrics>[0];
}

/** The schema over HTTP (server-sent events included); everything that is not GraphQL has been dealt with before. */
export const createGraphQLServer = ({
  services,
  limits,
  log,
  isOutage,
  observe,
}: GraphQLOptions): GraphQLServer =>
  createYoga<RequestContext, object>({
    schema,
    context: ({ principal }) => apiContext(services, principal),
    graphiql: false,
    landingPage: false,
    cors: false,
    batching: false,
    multipart: false,
    maxRequestBodySize: limits.bodyBytes,
    parserAndValidationCache: { documentCache: cacheByText(), errorCache: cacheByText() },
    maskedErrors: { maskError: errorMask(log, isOutage) },
    // What the mask shows of an error it has also logged.
    logging: {
      debug: () => {},
      info: () => {},
      warn: (...details) => log.warn({ details }, 'GraphQL'),
      error: () => {},
    },
    plugins: [
      useJsonOnly(),
      useJsonInUrls(),
      useDocumentLimits(limits.tokens),
      useUnconditionalSubscriptions(),
      useOperationMetrics(observe),
      useOperationLimits(limits),
      useOperationTimeout(limits.operationTimeout),
      useQueryCancellation(),
    ],
  });

/** Remembers by a document's text, the last few hundred of them. Long texts are not kept: a thousand of those fill the memory. */
function cacheByText<T>() {
  const kept = new Map<string, T>();
  return {
    get: (text: string) => kept.get(text),
    set: (text: string, value: T) => {
      if (text.length > 5_000) return;
      const [oldest] = kept.keys();
      if (oldest !== undefined && kept.size >= 200) kept.delete(oldest);
      kept.set(text, value);
    },
  };
}
