import type { Answer } from './answer.ts';

/** Which pages of other sites may use the API. */
export interface CorsOptions {
  /** Origins such as `https://console.example.org`; empty: none. `*`: any. */
  readonly origins: readonly string[];
}

const allowedHeaders =
  'authorization, content-type, last-event-id, x-request-id, apollographql-client-name, apollographql-client-version';
const exposedHeaders = 'x-request-id, retry-after';
/** Seconds for which a browser may remember the answer to a preflight request. */
const maxAge = 7_200;

/**
 * Headers for answers to the origin; none when it is not on the list. (Tokens are sent in a header, so cookies need no
 * permission.)
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
