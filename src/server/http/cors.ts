import type { Answer } from './answer.ts';

/** CORS: which other origins may use the API. */
export interface CorsOptions {
  /** Origins such as `https://console.example.org`; empty allows none, `*` any. */
  readonly origins: readonly string[];
}

const allowedHeaders =
  'authorization, content-type, last-event-id, x-request-id, apollographql-client-name, apollographql-client-version';
const exposedHeaders = 'x-request-id, retry-after';
/** Seconds for which a browser may remember the answer to a preflight request. */
const maxAge = 7_200;

/**
 * Response headers for the origin; none if it is not listed. (Tokens are sent in a header, so credentials need not be
 * allowed.)
 */
export function corsHeaders({ origins }: CorsOptions, origin: string | null): Record<string, string> {
  if (origins.length === 0) return {};
  const any = origins.includes('*');
  if (!any && (origin === null || !origins.includes(origin))) return { vary: 'origin' };
  return {
    'access-control-allow-origin': any ? '*' : (origin ?? ''),
    'access-control-expose-headers': exposedHeaders,
    ...(!any && { vary: 'origin' }),
  };
}

/**
 * The answer to a preflight request, to which `corsHeaders` are added; null when the request is none, or no origin is
 * allowed.
 */
export function preflight(options: CorsOptions, request: Request): Answer | null {
  if (request.method !== 'OPTIONS' || options.origins.length === 0) return null;
  if (request.headers.get('access-control-request-method') === null) return null;
  return {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': allowedHeaders,
      'access-control-max-age': String(maxAge),
    },
    body: null,
  };
}
