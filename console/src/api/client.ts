import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';

/** An operation generated from operations.graphql by `npm run generate`. */
export interface Operation<Result, Variables> extends DocumentTypeDecoration<Result, Variables> {
  toString(): string;
}

/** A refusal, with the message of the server. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    /** A stable error code of the server, or NETWORK if it could not be reached. */
    readonly code: string,
    message: string,
  ) {
    super(message);
  }

  /** Whether a retry may succeed. */
  get retryable(): boolean {
    return ['NETWORK', 'UNAVAILABLE', 'SHUTTING_DOWN', 'RATE_LIMITED'].includes(this.code);
  }
}

interface GraphQLAnswer<Result> {
  readonly data?: Result | null;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

const timeoutMs = 30_000;

/**
 * Executes an operation with the given token. Throws ApiError; UNAUTHENTICATED means that the token is unknown or has
 * expired.
 */
export async function execute<Result, Variables>(
  token: string,
  operation: Operation<Result, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Result> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/graphql-response+json, application/json',
    },
    body: JSON.stringify({ query: operation.toString(), variables }),
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiError('NETWORK', 'The server cannot be reached.');
  });
  const answer = await readAnswer<Result>(response);
  const [error] = answer.errors ?? [];
  if (error) throw new ApiError(error.extensions?.code ?? 'INTERNAL', error.message);
  if (answer.data == null) throw new ApiError('INTERNAL', `The server answered with status ${response.status}.`);
  return answer.data;
}

async function readAnswer<Result>(response: Response): Promise<GraphQLAnswer<Result>> {
  if (response.status === 401) {
    throw new ApiError('UNAUTHENTICATED', 'The server does not accept this token. Check it, or ask for a new one.');
  }
  try {
    return (await response.json()) as GraphQLAnswer<Result>;
  } catch {
    throw new ApiError('NETWORK', `The server answered with status ${response.status} and no GraphQL response.`);
  }
}
