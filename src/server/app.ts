import type { RequestListener, Server } from 'node:http';
import { createServerAdapter } from '@whatwg-node/server';
import { type Logger, pino } from 'pino';
import { Histogram, Registry } from 'prom-client';
import type { ApiServices } from '../api/index.ts';
import { bearerToken } from './authentication.ts';
import { endable } from './endable.ts';
import { graphiqlPage, wantsPage } from './graphiql.ts';
import { createGraphQLServer } from './graphql.ts';
import { defaultServerLimits, type ServerLimits } from './limits.ts';
import { attachWebSockets } from './websocket.ts';

export interface AppOptions {
  readonly services: ApiServices;
  /** The administrator's bearer token. */
  readonly token: string;
  /** Whether an error means that the database cannot be reached, so that the same call may succeed later. */
  readonly isOutage: (error: unknown) => boolean;
  readonly limits?: Partial<ServerLimits> | undefined;
  readonly log?: Logger | undefined;
  /** What /metrics shows; the app's own metrics are added to it. */
  readonly registry?: Registry | undefined;
}

/** The whole HTTP surface, without a port. */
export interface App {
  fetch(request: Request): Promise<Response>;
  readonly listener: RequestListener;
  /** Serves graphql-ws on a server that `listener` listens to. */
  attach(server: Server): void;
  /** Completes all subscriptions and refuses new ones; requests go on being answered. */
  endSubscriptions(): Promise<void>;
}

const path = '/graphql';

export function createApp({
  services,
  token,
  isOutage,
  limits: given,
  log = pino({ level: 'silent' }),
  registry = new Registry(),
}: AppOptions): App {
  const limits = { ...defaultServerLimits, ...given };
  const authenticate = bearerToken(token);
  const subscriptions = endable(services.leases);
  const seconds = new Histogram({
    name: 'leasegraph_graphql_seconds',
    help: 'Time that queries and mutations took, by outcome.',
    labelNames: ['operation', 'outcome'],
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  const graphql = createGraphQLServer({
    services: { ...services, leases: subscriptions.service },
    limits,
    log,
    isOutage,
    observe: (operation, outcome, time) => seconds.observe({ operation, outcome }, time),
  });

  const answer = async (request: Request): Promise<Response> => {
    // What the client sent as its Host is part of it.
    if (!URL.canParse(request.url))
      return failure(400, 'BAD_REQUEST', 'The address of this request makes no sense.');
    const { pathname } = new URL(request.url);
    if (pathname === '/livez') return Response.json({ status: 'alive' });
    if (pathname === path && wantsPage(request)) return graphiqlPage(request);
    if (pathname === '/' && wantsPage(request)) {
      return new Response(null, { status: 302, headers: { location: path } });
    }
    const principal = authenticate(request.headers.get('authorization'));
    if (pathname === '/readyz') return readiness(services, principal !== null);
    if (principal === null) return unauthenticated();
    if (pathname === path) return acceptable(await graphql.fetch(request, { principal }));
    if (pathname === '/metrics') {
      return new Response(await registry.metrics(), { headers: { 'content-type': registry.contentType } });
    }
    return failure(404, 'NOT_FOUND', `There is nothing at ${pathname}. GraphQL is served at ${path}.`);
  };

  const handle = (request: Request): Promise<Response> =>
    answer(request).catch((error: unknown) => {
      if (request.signal.aborted) log.debug({ err: error }, 'the client has gone');
      else log.error({ err: error }, 'unexpected error');
      return failure(500, 'INTERNAL', 'Something went wrong on the server. Its log says more.');
    });

  const closers: (() => Promise<void>)[] = [];
  let ending: Promise<unknown> | null = null;
  const adapter = createServerAdapter(handle);
  return {
    fetch: (request) => Promise.resolve(adapter.fetch(request)),
    listener: adapter,
    attach: (server) => {
      closers.push(attachWebSockets(server, { graphql, authenticate, limits, log, path }));
    },
    endSubscriptions: async () => {
      ending ??= subscriptions.end().then(() => Promise.all(closers.map((close) => close())));
      await ending;
    },
  };
}

/** What is wrong, in words, names hosts and databases: only who has a token is told. */
function readiness({ leases }: ApiServices, inWords: boolean): Response {
  const { role, problems } = leases.status();
  const ready = problems.length === 0;
  return Response.json(
    { status: ready ? 'ready' : 'not ready', role, ...(inWords && { problems }) },
    { status: ready ? 200 : 503 },
  );
}

const unauthenticated = (): Response =>
  failure(401, 'UNAUTHENTICATED', 'A valid token is needed: send the header "Authorization: Bearer TOKEN".', {
    'www-authenticate': 'Bearer realm="leasegraph"',
  });

/** Yoga says nothing when a result cannot be given in any form that is accepted. */
const acceptable = (response: Response): Response =>
  response.status === 406
    ? failure(
        406,
        'NOT_ACCEPTABLE',
        'The header Accept leaves no form for this result: results are application/json, those of subscriptions text/event-stream.',
      )
    : response;

export const failure = (
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): Response => Response.json({ errors: [{ message, extensions: { code } }] }, { status, headers });
