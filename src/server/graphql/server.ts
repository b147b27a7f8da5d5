import { createYoga, type YogaServerInstance } from 'graphql-yoga';
import type { Logger } from 'pino';
import { type ApiServices, apiContext, schema } from '../../api/index.ts';
import type { Tracing } from '../../engine/ports.ts';
import type { EventSource } from '../http/event-source.ts';
import type { ServerLimits } from '../limits.ts';
import type { ReadTurns } from '../read-turns.ts';
import { useEventStreams } from '../subscriptions/event-stream.ts';
import type { FanOut } from '../subscriptions/fan-out/fan-out.ts';
import { useCommittedNotice } from './committed.ts';
import type { RequestContext } from './context.ts';
import { documentCache, useDocumentLimits, useUnconditionalSubscriptions } from './documents.ts';
import { type ErrorMask, useErrorMask } from './errors.ts';
import { useOperationLimits, useOperationMetrics, useOperationTimeout, useReadTurns } from './operations.ts';
import type { PersistedDocuments } from './persisted-documents.ts';
import { useJsonInUrls, useParsedBody, usePersistedDocuments, useVariableDepth } from './requests.ts';
import { type ResponseCache, useResponseCache } from './response-cache.ts';
import { useTracing } from './tracing.ts';

export type GraphQLServer = YogaServerInstance<RequestContext, object>;

export interface GraphQLOptions {
  readonly services: ApiServices;
  readonly limits: ServerLimits;
  readonly documents: PersistedDocuments;
  readonly mask: ErrorMask;
  readonly log: Logger;
  readonly observe: Parameters<typeof useOperationMetrics>[0];
  /** A lookup of a parsed document. */
  readonly onDocument: (cached: boolean) => void;
  /** Receives the event stream of a streaming Response. */
  readonly streams: WeakMap<Response, EventSource>;
  readonly fanOut: FanOut;
  readonly turns: ReadTurns;
  /** Null: each query is executed. */
  readonly cache: ResponseCache | null;
  /** Null: tracing is off. */
  readonly tracing: Tracing | null;
}

/** The schema over HTTP. Authentication, body parsing and other paths are handled before. */
export function createGraphQLServer(options: GraphQLOptions): GraphQLServer {
  const { services, limits, documents, mask, log, observe, streams, fanOut, turns, cache, onDocument, tracing } =
    options;
  return createYoga<RequestContext, object>({
    schema,
    context: ({ principal, requestId }) => apiContext(services, principal, requestId),
    graphiql: false,
    landingPage: false,
    cors: false,
    batching: false,
    multipart: false,
    maxRequestBodySize: false,
    parserAndValidationCache: { documentCache: documentCache(onDocument), errorCache: documentCache() },
    maskedErrors: { maskError: (error) => mask(error) },
    // Masked errors are already logged.
    logging: {
      debug: () => {},
      info: () => {},
      warn: (...details) => log.warn({ details }, 'GraphQL'),
      error: () => {},
    },
    plugins: [
      useParsedBody(),
      useJsonInUrls(),
      useVariableDepth(limits.variableDepth),
      usePersistedDocuments(documents),
      useDocumentLimits(limits.tokens),
      useUnconditionalSubscriptions(),
      ...(tracing ? [useTracing(tracing)] : []),
      useOperationMetrics(observe),
      useOperationLimits(limits, () => ({ nodes: services.leases.status().nodes })),
      useReadTurns(turns),
      ...(cache ? [useResponseCache(cache)] : []),
      useOperationTimeout(limits.operationTimeout),
      useErrorMask(mask),
      useCommittedNotice(),
      fanOut.plugin(),
      useEventStreams(streams, fanOut),
    ],
  });
}
