import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ExecutionArgs, type FormattedExecutionResult, GraphQLError, getOperationAST } from 'graphql';
import type { ConnectionInitMessage } from 'graphql-ws';
import { useServer } from 'graphql-ws/use/ws';
import type { Logger } from 'pino';
import { WebSocketServer } from 'ws';
import type { Principal } from '../engine/ports.ts';
import type { Authenticate } from './authentication.ts';
import type { GraphQLServer } from './graphql.ts';
import type { ServerLimits } from './limits.ts';

export interface WebSocketOptions {
  readonly graphql: GraphQLServer;
  readonly authenticate: Authenticate;
  readonly limits: Pick<ServerLimits, 'bodyBytes' | 'operationsPerConnection'>;
  readonly log: Logger;
  readonly path: string;
}

interface Extra extends Record<PropertyKey, unknown> {
  principal?: Principal;
}

/** What the enveloped functions of Yoga need of an operation. */
interface Enveloped {
  execute(args: ExecutionArgs): unknown;
  subscribe(args: ExecutionArgs): unknown;
}

/** graphql-ws beside HTTP, on the same path and through the same plugins. Ends with the returned function. */
export function attachWebSockets(
  server: Server,
  { graphql, authenticate, limits, log, path }: WebSocketOptions,
) {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: limits.bodyBytes });

  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
      answerAsUsual(server, request, socket, head);
      return;
    }
    // The HTTP server has let go of the socket: an error that nobody listens to would end the process.
    socket.on('error', (error) => log.debug({ err: error }, 'WebSocket'));
    if (request.url?.split('?', 1)[0] !== path) {
      const refusal = 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
      socket.end(refusal, () => socket.destroy());
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      sockets.emit('connection', client, request);
      // graphql-ws would print what a client does wrong to the console. The socket is closed with its code all the same.
      client.removeAllListeners('error');
      client.on('error', (error) => log.debug({ err: error }, 'WebSocket'));
    });
  };
  server.on('upgrade', upgrade);

  const serving = useServer<ConnectionInitMessage['payload'], Extra>(
    {
      onConnect: ({ connectionParams, extra }) => {
        const params: Readonly<Record<string, unknown>> = connectionParams ?? {};
        const given = params.authorization ?? params.Authorization;
        const principal = authenticate(
          typeof given === 'string'
            ? given
            : (extra as Extra & { request?: IncomingMessage }).request?.headers.authorization,
        );
        if (principal === null) return false;
        extra.principal = principal;
        return true;
      },
      execute: (args) => (args.rootValue as Enveloped).execute(args) as never,
      subscribe: (args) => (args.rootValue as Enveloped).subscribe(args) as never,
      onSubscribe: async ({ extra, subscriptions }, _id, params) => {
        if (Object.keys(subscriptions).length > limits.operationsPerConnection) {
          return [
            new GraphQLError(
              `This connection has ${limits.operationsPerConnection} operations under way already. End one first, or open another connection.`,
              { extensions: { code: 'TOO_MANY_OPERATIONS' } },
            ),
          ];
        }
        if (extra.principal === undefined)
          throw new Error('an operation on a connection without a principal');
        const { schema, execute, subscribe, contextFactory, parse, validate } = graphql.getEnveloped({
          principal: extra.principal,
          params,
        });
        try {
          const document = parse(params.query);
          const errors = validate(schema, document);
          if (errors.length > 0) return withoutInternals(errors);
          if (!getOperationAST(document, params.operationName)) return [whichOperation()];
          return {
            schema,
            document,
            operationName: params.operationName,
            variableValues: params.variables,
            contextValue: await contextFactory(),
            rootValue: { execute, subscribe } satisfies Enveloped,
          };
        } catch (error) {
          if (error instanceof GraphQLError) return withoutInternals([error]);
          throw error;
        }
      },
      onNext: (_context, _id, _payload, _args, result) =>
        result.errors &&
        ({
          ...result,
          errors: withoutInternals(result.errors).map((error) => error.toJSON()),
        } as FormattedExecutionResult),
    },
    sockets,
    12_000,
  );

  return async (): Promise<void> => {
    server.off('upgrade', upgrade);
    await serving.dispose();
  };
}

/**
 * Some clients offer HTTP/2 with every request. An offer need not be taken, but Node.js has let go of the connection: it is given back
 * with the request as it would be without the offer.
 */
function answerAsUsual(
  server: Server,
  { method, url, rawHeaders }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
) {
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (!/^(upgrade|connection|http2-settings)$/i.test(name)) lines.push(`${name}: ${rawHeaders[index + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

const whichOperation = (): GraphQLError =>
  new GraphQLError('Could not determine what operation to execute.', {
    extensions: { code: 'OPERATION_RESOLUTION_FAILURE' },
  });

/** As HTTP shows them: without what only its status line needs. */
const withoutInternals = (errors: readonly GraphQLError[]): GraphQLError[] =>
  errors.map((error) => {
    const { http: _http, unexpected: _unexpected, ...extensions } = error.extensions;
    const { nodes = null, path = null, message } = error;
    return new GraphQLError(message, { nodes, path, extensions });
  });
