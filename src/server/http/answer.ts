import type { EventSource } from './event-source.ts';

/** A transport-independent answer. */
export interface Answer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Several requests may share one buffer. */
  readonly body: string | Uint8Array | null;
  /** A stream instead of a body; either side may end it. */
  readonly events?: EventSource;
}

export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(value),
  };
}

/** An error in GraphQL format. */
export function failure(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return json({ errors: [{ message, extensions: { code } }] }, status, {
    ...(status === 503 && retryLater),
    ...headers,
  });
}

/** Seconds after which a client should retry when the server is unavailable. */
export const retryLater = { 'retry-after': '2' };

/** The same answer with more headers. Values of `vary` are joined. */
export function withHeaders(answer: Answer, more: Readonly<Record<string, string>>): Answer {
  const vary = [answer.headers.vary, more.vary].filter((value) => value !== undefined).join(', ');
  return { ...answer, headers: { ...answer.headers, ...more, ...(vary !== '' && { vary }) } };
}
