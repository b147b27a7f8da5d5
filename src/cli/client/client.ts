import type { Command } from 'commander';
import { createClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { found } from '../../config/error.ts';
import { keptToken, tokenFile } from '../../config/token.ts';
import { CliError } from '../terminal.ts';
import type { TypedDocumentString } from './generated/operations.ts';
import { type Login, readLogin } from './login-file.ts';

/** What {@link addServerOptions} parses. */
export interface ServerOptions {
  readonly server?: string;
  readonly token?: string;
}

/** The options for the server and the token. */
export function addServerOptions(command: Command): Command {
  return command
    .option('--server <url>', 'the server (default: LEASEGRAPH_SERVER, the login, or http://127.0.0.1:4000)')
    .option(
      '--token <token>',
      'bearer token (default: LEASEGRAPH_TOKEN, LEASEGRAPH_ADMIN_TOKEN, the login, or the token in the data directory)',
    );
}

/** The server that the options and the environment name. Throws CliError. */
export function connect({ server, token }: ServerOptions, environment = process.env): Client {
  const login = readLogin(environment);
  const url = serverUrl(server, environment, login);
  const found = findToken(token, environment, login?.server === url ? login.token : null);
  if (found === null) {
    throw new CliError(
      'a token is needed: run leasegraph login, give --token, set LEASEGRAPH_TOKEN, or set LEASEGRAPH_DATA_DIR to the data directory of the server [UNAUTHENTICATED]',
    );
  }
  if (!/^[\x21-\x7e]+$/.test(found.token)) {
    throw new CliError('--token: expected printable ASCII characters without blanks', 2);
  }
  return new Client(url, found.token, found.source);
}

/** The first token in the documented order, and where it was found; null when there is none. */
function findToken(
  option: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  /** A login's token is for the server of that login only. */
  loginToken: string | null,
): { token: string; source: string } | null {
  if (option !== undefined) return { token: option, source: '--token' };
  for (const source of ['LEASEGRAPH_TOKEN', 'LEASEGRAPH_ADMIN_TOKEN']) {
    const token = environment[source];
    if (token) return { token, source };
  }
  if (loginToken) return { token: loginToken, source: 'leasegraph login' };
  const dataDir = environment.LEASEGRAPH_DATA_DIR || './data';
  const token = keptToken(dataDir);
  return token === null ? null : { token, source: tokenFile(dataDir) };
}

/** The address of the GraphQL endpoint. Throws CliError. */
export function serverUrl(
  server: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  login: Login | null = null,
): string {
  const local = `http://127.0.0.1:${environment.PORT || 4000}`;
  const address = server ?? (environment.LEASEGRAPH_SERVER || login?.server || local);
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new CliError(`--server: ${found(address)} is not a URL such as http://127.0.0.1:4000`, 2);
  }
  if (url.username !== '' || url.password !== '') {
    throw new CliError('--server: expected a URL without a user and a password; use --token', 2);
  }
  if (url.pathname === '/') url.pathname = '/graphql';
  return url.href;
}

/** Milliseconds that a client waits for an answer: longer than the time limit of a server. */
const defaultTimeout = 60_000;

interface Answer<T> {
  readonly data?: T | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: { readonly code?: unknown };
  }[];
}

/** Why a mutation was refused. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly path: readonly string[] | null;
}

export interface SocketClient extends Pick<Client, 'request'> {
  dispose(): Promise<void>;
}

/** Sends the project's typed operations to a server. */
export class Client {
  constructor(
    readonly url: string,
    private readonly token: string,
    /** Where the token was found, for messages. */
    private readonly source: string,
    private readonly timeout = defaultTimeout,
  ) {}

  /** Throws CliError: no server there, an unknown token, or errors in the answer. */
  async request<Result, Variables>(
    document: TypedDocumentString<Result, Variables>,
    variables: Variables,
  ): Promise<Result> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(this.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/graphql-response+json, application/json',
          authorization: `Bearer ${this.token}`,
        },
        body: JSON.stringify({ query: document.toString(), variables }),
        signal: AbortSignal.timeout(this.timeout),
      });
      text = await response.text();
    } catch (error) {
      throw this.unreachable(error);
    }
    if (response.status === 401) throw this.unauthorized();
    const answer = parsed(text);
    if (typeof answer !== 'object' || answer === null) {
      throw new CliError(
        `${this.url} answered with ${response.status} and no JSON: is this a Leasegraph server? [UNEXPECTED_ANSWER]`,
      );
    }
    return dataOf(answer as Answer<Result>);
  }

  /** Throws CliError, as request does. */
  async *subscribe<Result, Variables extends Record<string, unknown>>(
    document: TypedDocumentString<Result, Variables>,
    variables: Variables,
  ): AsyncGenerator<Result, void> {
    const client = createClient({
      url: this.url,
      headers: { authorization: `Bearer ${this.token}` },
      retryAttempts: 0,
    });
    try {
      for await (const answer of client.iterate<Result>({ query: document.toString(), variables })) {
        yield dataOf(answer as Answer<Result>);
      }
    } catch (error) {
      if (error instanceof CliError) throw error;
      // A connection that breaks has an error without a response.
      const { response } = error as { response?: Response };
      if (response?.status === 401) throw this.unauthorized();
      throw this.unreachable(error);
    } finally {
      client.dispose();
    }
  }

  /**
   * One WebSocket for many operations at once; the server takes them in the order in which they are sent. The caller
   * disposes of it.
   */
  socket(): SocketClient {
    const client = createSocketClient({
      url: this.url.replace(/^http/, 'ws'),
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${this.token}` },
      retryAttempts: 0,
    });
    return {
      request: async (document, variables) => {
        const payload = { query: document.toString(), variables: variables as Record<string, unknown> };
        try {
          for await (const answer of client.iterate(payload)) return dataOf(answer as Answer<never>);
        } catch (error) {
          if (error instanceof CliError) throw error;
          const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
          throw code === 4403 ? this.unauthorized() : this.unreachable(error);
        }
        throw new CliError('the server ended an operation without an answer [UNEXPECTED_ANSWER]');
      },
      dispose: async () => {
        await client.dispose();
      },
    };
  }

  private unreachable(error: unknown): CliError {
    const { cause, message, name } = error as Error;
    if (name === 'TimeoutError') {
      return new CliError(`the server at ${this.url} did not answer within ${this.timeout / 1_000} s [TIMEOUT]`);
    }
    return new CliError(
      `no server answers at ${this.url} (${cause instanceof Error ? cause.message || message : message}); is it running? [UNREACHABLE]`,
    );
  }

  private unauthorized(): CliError {
    return new CliError(`the server at ${this.url} does not know this token (from ${this.source}) [UNAUTHENTICATED]`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A server answered with errors instead of data. */
class AnswerError extends CliError {
  constructor(
    message: string,
    readonly codes: readonly string[],
  ) {
    super(message);
  }
}

function dataOf<T>({ data, errors }: Answer<T>): T {
  if (errors && errors.length > 0) {
    const codes = errors.map(({ extensions }) => String(extensions?.code ?? 'ERROR'));
    throw new AnswerError(errors.map(({ message }, index) => `${message} [${codes[index]}]`).join('; '), codes);
  }
  if (data === null || data === undefined) throw new CliError('the server answered without data [UNEXPECTED_ANSWER]');
  return data;
}

/** The fields of an input, and the options that give them. */
export type Flags = Readonly<Record<string, string>>;

/** Throws CliError when a mutation was refused. It names options, and the path where a value has none. */
export function assertAccepted(userErrors: readonly Refusal[], flags: Flags = {}): void {
  if (userErrors.length === 0) return;
  const placeOf = (path: Refusal['path']): string => {
    const [, field = '', ...rest] = path ?? [];
    const place = flags[field] ?? [field, ...rest].join('.');
    return place === '' ? '' : `${place}: `;
  };
  throw new CliError(userErrors.map(({ code, message, path }) => `${placeOf(path)}${message} [${code}]`).join('; '));
}

interface Page<Node> {
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** A root field that is null only beside an error. Throws CliError if the server has left it out without one. */
export function answered<T>(field: T | null): T {
  if (field === null) throw new CliError('the server answered without data [UNEXPECTED_ANSWER]');
  return field;
}

type ReadPage<Node> = (after: string | null, size: number) => Promise<Page<Node> | null>;

/** All nodes of a list, page by page. Pages become smaller where one is too large for an answer. */
export async function* allPages<Node>(page: ReadPage<Node>): AsyncGenerator<Node, void> {
  let size = 100;
  for (let after: string | null = null; ; ) {
    try {
      const { nodes, pageInfo }: Page<Node> = answered(await page(after, size));
      yield* nodes;
      if (!pageInfo.hasNextPage) return;
      after = pageInfo.endCursor;
    } catch (error) {
      const tooLarge = error instanceof AnswerError && error.codes.includes('OPERATION_TOO_LARGE');
      if (size === 1 || !tooLarge) throw error;
      size = Math.ceil(size / 5);
    }
  }
}

/** All nodes of a list at once. */
export async function readAll<Node>(page: ReadPage<Node>): Promise<Node[]> {
  const found: Node[] = [];
  for await (const node of allPages(page)) found.push(node);
  return found;
}

interface LastPage<Node> {
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly hasPreviousPage: boolean; readonly startCursor: string | null };
}

/** The last `count` nodes of a list, in its order. */
export async function newest<Node>(
  count: number,
  page: (last: number, before: string | null) => Promise<LastPage<Node> | null>,
): Promise<Node[]> {
  const found: Node[] = [];
  const pages = allPages<Node>(async (before, size) => {
    const { nodes, pageInfo } = answered(await page(Math.min(size, count - found.length), before));
    return {
      nodes: nodes.toReversed(),
      pageInfo: { hasNextPage: pageInfo.hasPreviousPage, endCursor: pageInfo.startCursor },
    };
  });
  for await (const node of pages) {
    found.push(node);
    if (found.length === count) break;
  }
  return found.reverse();
}
