import type { EventSource } from './event-source.ts';

/** What is sent for one request, whichever way it is sent. */
export interface Answer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Several requests may share one buffer. */
  readonly body: string | Uint8Array | null;
  /** Instead of a body: a stream that goes on until one of the two sides ends it. */
  readonly events?: EventSource;
}

export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(value),
  };
}

/** An error in the form in which GraphQL reports errors. */
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

/** Tells a client in how many seconds to try again when the server cannot serve at present. */
export const retryLater = { 'retry-after': '2' };

/** The same answer with more headers. Values of `vary` are joined. */
export function withHeaders(answer: Answer, more: Readonly<Record<string, string>>): Answer {
  const vary = [answer.headers.vary, more.vary].filter((value) => value !== undefined).join(', ');
  return { ...answer, headers: { ...answer.headers, ...more, ...(vary !== '' && { vary }) } };
}
