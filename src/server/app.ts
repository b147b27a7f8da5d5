import type { RequestListener, Server } from 'node:http';
import { type Logger, pino } from 'pino';
import {
  AggregatorRegistry,
  Counter,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import type { ApiServices } from '../api/index.ts';
import type { Span, TraceParent, Tracing } from '../engine/ports.ts';
import { hasRole, requiredRoleOfPath } from '../identity/index.ts';
import { errorMask } from './graphql/errors.ts';
import {
  noPersistedDocuments,
  type PersistedDocumentsOptions,
  persistedDocuments,
} from './graphql/persisted-documents.ts';
import { measuredCache } from './graphql/response-cache.ts';
import { createGraphQLServer } from './graphql/server.ts';
import { withoutExcluded } from './http/accept.ts';
import { type Answer, failure, json, retryLater, withHeaders } from './http/answer.ts';
import { type BodyChunks, readJson } from './http/body.ts';
import { clientAddresses } from './http/client-address.ts';
import { compressed } from './http/compression.ts';
import { consoleAssets, loadConsole } from './http/console.ts';
import { type CorsOptions, corsHeaders, preflight } from './http/cors.ts';
import type { EventSource } from './http/event-source.ts';
import { createExchange } from './http/exchange.ts';
import { graphiqlAsset, graphiqlPage, takesPage, wantsPage } from './http/graphiql.ts';
import { requestIdFrom } from './http/request-id.ts';
import { toResponse } from './http/response.ts';
import { signIn, signInPath } from './http/sign-in.ts';
import { defaultServerLimits, type ServerLimits } from './limits.ts';
import { measuredReadTurns } from './read-turns.ts';
import { FanOut } from './subscriptions/fan-out/fan-out.ts';
import { createFanOutMetrics } from './subscriptions/fan-out/metrics.ts';
import { attachWebSockets } from './subscriptions/websocket.ts';

export interface AppOptions {
  readonly services: ApiServices;
  /** Whether an error means that the database is unreachable, so that the same call may succeed later. */
  readonly isOutage: (error: unknown) => boolean;
  /**
   * Two calls give the same text only if nothing was committed in between; null: it is not known. Absent: each query is
   * executed.
   */
  readonly version?: (() => Promise<string | null>) | undefined;
  readonly limits?: Partial<ServerLimits> | undefined;
  readonly cors?: CorsOptions | undefined;
  /** Addresses and networks of proxies whose X-Forwarded-For header is trusted. */
  readonly trustedProxies?: readonly string[] | undefined;
  readonly persistedDocuments?: PersistedDocumentsOptions | undefined;
  /** The directory of the built web console. Without one, a browser that opens `/` is sent to GraphiQL. */
  readonly consoleDirectory?: string | undefined;
  readonly log?: Logger | undefined;
  /** Default: no tracing. */
  readonly tracing?: Tracing | null | undefined;
  /** The registry of /metrics; the app adds its metrics. */
  readonly registry?: Registry | undefined;
  /** Metrics of other threads and processes, shown together with those of the registry. */
  readonly otherMetrics?: (() => Promise<readonly MetricObjectWithValues<MetricValue<string>>[][]>) | undefined;
}

/** The whole HTTP surface, without a port. */
export interface App {
  fetch(request: Request): Promise<Response>;
  readonly listener: RequestListener;
  /** Serves graphql-ws on a server that `listener` listens to. */
  attach(server: Server): void;
  /**
   * Ends all subscriptions without completing them, so that clients reconnect, and refuses new ones. Requests are still
   * answered with `Connection: close`.
   */
  endSubscriptions(): Promise<void>;
  /** Number of event subscriptions. */
  subscribers(): number;
}

const path = '/graphql';
const assets = `${path}/assets/`;
/** Paths for browsers and programs; any other path opened by a browser is a page of the console. */
const operational: ReadonlySet<string> = new Set(['/readyz', '/metrics']);

/** Throws ManifestError when the persisted documents cannot be read. */
export function createApp({
  services,
  isOutage,
  version,
  limits: given,
  cors = { origins: [] },
  trustedProxies = [],
  persistedDocuments: documentOptions = noPersistedDocuments,
  consoleDirectory,
  log = pino({ level: 'silent' }),
  tracing = null,
  registry = new Registry(),
  otherMetrics = () => Promise.resolve([]),
}: AppOptions): App {
  const limits = { ...defaultServerLimits, ...given };
  const { authenticate } = services.identity;
  const addressOf = clientAddresses(trustedProxies);
  const documents = persistedDocuments(documentOptions);
  const mask = errorMask(log, isOutage);
  const webConsole = consoleDirectory === undefined ? null : loadConsole(consoleDirectory);
  const streams = new WeakMap<Response, EventSource>();
  const seconds = new Histogram({
    name: 'leasegraph_graphql_seconds',
    help: 'Duration of queries and mutations, by outcome.',
    labelNames: ['operation', 'outcome'],
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  const parsed = new Counter({
    name: 'leasegraph_documents_total',
    help: 'Documents of operations, by whether they were parsed and validated before.',
    labelNames: ['cache'],
    registers: [registry],
  });
  const turns = measuredReadTurns(limits.concurrentReads, registry);
  const fanOut = new FanOut({ services, mask, turns, metrics: createFanOutMetrics(registry) });
  const cache =
    version && limits.cachedBytes > 0 ? measuredCache({ version, maxBytes: limits.cachedBytes }, registry) : null;
  const graphql = createGraphQLServer({
    services,
    limits,
    documents,
    mask,
    log,
    streams,
    fanOut,
    turns,
    cache,
    tracing,
    onDocument: (cached) => parsed.inc({ cache: cached ? 'hit' : 'miss' }),
    observe: (operation, outcome, time) => seconds.observe({ operation, outcome }, time),
  });

  const route = async (
    request: Request,
    chunks: BodyChunks | null,
    peer: string | undefined,
    requestId: string,
    trace: TraceParent | undefined,
  ): Promise<Answer> => {
    // The header Host is part of it.
    if (!URL.canParse(request.url)) return failure(400, 'BAD_REQUEST', 'The URL or the header Host is invalid.');
    const { pathname } = new URL(request.url);
    if (pathname === '/livez') return json({ status: 'alive' });
    if (pathname.startsWith(assets)) {
      const asset = await graphiqlAsset(request, pathname.slice(assets.length));
      return asset ?? failure(404, 'NOT_FOUND', 'There is no such file.');
    }
    if (pathname === path && wantsPage(request)) return graphiqlPage(request);
    if (pathname.startsWith(consoleAssets)) {
      const asset = await webConsole?.asset(request, pathname.slice(consoleAssets.length));
      return asset ?? failure(404, 'NOT_FOUND', 'There is no such file.');
    }
    if (webConsole && pathname === '/' && takesPage(request)) return webConsole.page(request);
    if (wantsPage(request) && !operational.has(pathname)) {
      if (webConsole) return webConsole.page(request);
      if (pathname === '/') return { status: 302, headers: { location: path }, body: null };
    }
    if (pathname.startsWith(signInPath)) {
      return signIn(services.identity, request.method, pathname.slice(signInPath.length), () =>
        bodyOf(request, chunks, limits.bodyBytes),
      );
    }
    const permission = pathname === path ? preflight(cors, request) : null;
    if (permission) return permission;
    const authorization = request.headers.get('authorization');
    if (pathname === '/readyz') {
      // This path must work without the database.
      const reader = await authenticate(authorization).catch(() => null);
      return readiness(services, reader !== null && hasRole(reader, requiredRoleOfPath['/readyz']));
    }
    const principal = await authenticate(authorization);
    if (principal === null) return unauthenticated();
    if (pathname === path) {
      const accept = request.headers.get('accept');
      const accepted = accept && withoutExcluded(accept);
      if (accept && !accepted) return notAcceptable();
      if (accepted && accepted !== accept) request.headers.set('accept', accepted);
      const body = request.method === 'POST' ? await bodyOf(request, chunks, limits.bodyBytes) : { value: null };
      if ('refusal' in body) return body.refusal;
      const response = await graphql.handleRequest(request, {
        principal,
        requestId,
        address: addressOf(peer, request.headers.get('x-forwarded-for') ?? undefined),
        trace,
        body: body.value,
      } as never);
      return answerOf(response, streams.get(response));
    }
    if (pathname === '/metrics') {
      const required = requiredRoleOfPath['/metrics'];
      if (!hasRole(principal, required)) return failure(403, 'FORBIDDEN', `The path requires the role ${required}.`);
      return {
        status: 200,
        headers: { 'content-type': registry.contentType },
        body: await allMetrics(registry, otherMetrics),
      };
    }
    return failure(404, 'NOT_FOUND', `There is nothing at ${pathname}. GraphQL is served at ${path}.`);
  };

  const handle = async (request: Request, chunks: BodyChunks | null, peer?: string | undefined): Promise<Answer> => {
    const requestId = requestIdFrom(request.headers.get('x-request-id'));
    const span = requestSpan(tracing, request, requestId);
    let answer: Answer;
    try {
      answer = await route(request, chunks, peer, requestId, span?.context);
      answer = await compressed(answer, request.headers.get('accept-encoding'));
    } catch (error) {
      if (request.signal.aborted) log.debug({ err: error, requestId }, 'the client has gone');
      else log.error({ err: error, requestId }, 'unexpected error');
      answer = failure(
        500,
        'INTERNAL',
        `Something went wrong on the server. Its log has the details under request ${requestId}.`,
      );
    }
    span?.end({
      attributes: { 'http.response.status_code': answer.status },
      error: answer.status >= 500 ? String(answer.status) : null,
    });
    return withHeaders(answer, {
      'x-request-id': requestId,
      ...corsHeaders(cors, request.headers.get('origin')),
    });
  };

  const exchange = createExchange({ handle, limits, log });
  const closers: (() => Promise<void>)[] = [];
  let ending: Promise<unknown> | null = null;
  return {
    fetch: async (request) =>
      toResponse(await handle(request, request.body as unknown as BodyChunks | null), exchange.streams),
    listener: exchange.listener,
    attach: (server) => {
      closers.push(
        attachWebSockets(server, {
          graphql,
          fanOut,
          identity: services.identity,
          documents,
          limits,
          log,
          path,
          addressOf,
        }),
      );
    },
    endSubscriptions: async () => {
      exchange.stop();
      ending ??= Promise.all(closers.map((close) => close()));
      await ending;
      fanOut.stop();
    },
    subscribers: () => fanOut.subscribers,
  };
}

/** The span of a request for GraphQL, in the trace of its client if that names one. */
function requestSpan(tracing: Tracing | null, { headers, method, url }: Request, requestId: string): Span | null {
  if (tracing === null || !URL.canParse(url) || new URL(url).pathname !== path) return null;
  return tracing.begin(`${method} ${path}`, {
    parent: headers.get('traceparent'),
    isServer: true,
    attributes: { 'http.request.method': method, 'url.path': path, 'leasegraph.request': requestId },
  });
}

/** Problems name hosts and databases, so only clients with a token see them. */
function readiness({ leases }: ApiServices, withDetails: boolean): Answer {
  const { role, problems } = leases.status();
  const ready = problems.length === 0;
  return json(
    { status: ready ? 'ready' : 'not ready', ...(withDetails && { role, problems }) },
    ready ? 200 : 503,
    ready ? {} : retryLater,
  );
}

/** Only JSON is accepted: a page of another site could submit a form. */
async function bodyOf(request: Request, chunks: BodyChunks | null, maxBytes: number) {
  const [type = '', ...parameters] = (request.headers.get('content-type') ?? '').toLowerCase().split(';');
  const charsets = parameters.flatMap((each) => /^\s*charset\s*=\s*"?([^"\s]*)/.exec(each)?.[1] ?? []);
  const isJson = type.trim() === 'application/json';
  if (isJson && charsets.every((each) => each === 'utf-8' || each === 'utf8'))
    return readJson(request.headers, chunks, maxBytes);
  return {
    refusal: failure(415, 'UNSUPPORTED_MEDIA_TYPE', 'Send the operation as application/json, in UTF-8.', {
      accept: 'application/json',
    }),
  };
}

async function answerOf(response: Response, events: EventSource | undefined): Promise<Answer> {
  const headers = Object.fromEntries(response.headers);
  if (events) return { status: response.status, headers, body: null, events };
  // Yoga sends no message if no accepted media type is possible.
  if (response.status === 406) {
    return notAcceptable();
  }
  // "none" is not a content coding.
  const { 'content-encoding': _encoding, connection: _connection, ...rest } = headers;
  return withHeaders(
    { status: response.status, headers: rest, body: await response.text() },
    {
      'cache-control': 'no-store',
      vary: 'accept, accept-encoding',
      ...(response.status === 503 && retryLater),
    },
  );
}

const notAcceptable = (): Answer =>
  failure(
    406,
    'NOT_ACCEPTABLE',
    'The header Accept allows no form of this result: results are application/json, those of subscriptions text/event-stream.',
  );

const unauthenticated = (): Answer =>
  failure(401, 'UNAUTHENTICATED', 'A valid token is required: send the header "Authorization: Bearer TOKEN".', {
    'www-authenticate': 'Bearer realm="leasegraph"',
  });

async function allMetrics(registry: Registry, otherMetrics: NonNullable<AppOptions['otherMetrics']>): Promise<string> {
  const others = await otherMetrics();
  if (others.length === 0) return registry.metrics();
  return AggregatorRegistry.aggregate([await registry.getMetricsAsJSON(), ...others]).metrics();
}
