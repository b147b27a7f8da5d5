import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ExecutionArgs, type FormattedExecutionResult, GraphQLError, getOperationAST } from 'graphql';
import type { ConnectionInitMessage } from 'graphql-ws';
import { useServer } from 'graphql-ws/use/ws';
import type { Logger } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Identity, IdentityService } from '../../identity/index.ts';
import { withoutInternals } from '../graphql/errors.ts';
import type { PersistedDocuments } from '../graphql/persisted-documents.ts';
import { depthError } from '../graphql/requests.ts';
import type { GraphQLServer } from '../graphql/server.ts';
import type { ClientAddress } from '../http/client-address.ts';
import { requestIdFrom } from '../http/request-id.ts';
import type { ServerLimits } from '../limits.ts';
import { pingInterval } from './event-stream.ts';
import type { FanOut } from './fan-out/fan-out.ts';
import { SocketSink } from './socket-sink.ts';
import { answerWithoutUpgrade, refuseUpgrade } from './upgrade.ts';

export interface WebSocketOptions {
  readonly graphql: GraphQLServer;
  readonly fanOut: FanOut;
  readonly identity: IdentityService;
  readonly documents: PersistedDocuments;
  readonly limits: Pick<ServerLimits, 'bodyBytes' | 'operationsPerConnection' | 'variableDepth'>;
  readonly log: Logger;
  readonly path: string;
  readonly addressOf: ClientAddress;
}

interface Extra extends Record<PropertyKey, unknown> {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
  principal?: Identity;
}

/** The operation data for Yoga's enveloped functions. */
interface Enveloped {
  execute(args: ExecutionArgs): unknown;
  subscribe(args: ExecutionArgs): unknown;
}

/** "Service Restart": clients reconnect to this or another server, and get the rights that they have then. */
const serviceRestart = 1012;

/** As graphql-ws closes a connection that is refused: its credentials are invalid. */
const forbidden = 4403;

/** Milliseconds that a peer has to answer a close. */
const closeWithin = 1_000;

/** graphql-ws beside HTTP, on the same path and through the same plugins. Ends with the returned function. */
export function attachWebSockets(server: Server, options: WebSocketOptions): () => Promise<void> {
  const { addressOf, graphql, fanOut, identity, documents, limits, log, path } = options;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: limits.bodyBytes });
  const running = new RunningOperations();

  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
      answerWithoutUpgrade(server, request, socket, head);
      return;
    }
    // The HTTP server has detached the socket: an error without a listener would end the process.
    socket.on('error', (error) => log.debug({ err: error }, 'WebSocket'));
    if (request.url?.split('?', 1)[0] !== path) {
      refuseUpgrade(socket);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      sockets.emit('connection', client, request);
      // Keeps graphql-ws from printing protocol errors to the console. The socket is still closed with their code.
      client.removeAllListeners('error');
      client.on('error', (error) => log.debug({ err: error }, 'WebSocket'));
    });
  };
  server.on('upgrade', upgrade);

  const serving = useServer<ConnectionInitMessage['payload'], Extra>(
    {
      onConnect: async ({ connectionParams, extra }) => {
        const params: Readonly<Record<string, unknown>> = connectionParams ?? {};
        const given = params.authorization ?? params.Authorization;
        const principal = await identity.authenticate(
          typeof given === 'string' ? given : extra.request.headers.authorization,
        );
        if (principal === null) return false;
        extra.principal = principal;
        const unwatch = identity.watch.add(principal, (change) =>
          change === 'ended'
            ? closeSoon(extra.socket, forbidden, 'Forbidden')
            : closeSoon(extra.socket, serviceRestart, 'The rights of the token have changed'),
        );
        extra.socket.once('close', unwatch);
        return true;
      },
      execute: (args) =>
        running.track(
          (args.contextValue as OperationContext).socket,
          (args.rootValue as Enveloped).execute(args),
        ) as never,
      subscribe: async (args) => {
        const results = await (args.rootValue as Enveloped).subscribe(args);
        const context = args.contextValue as OperationContext;
        const shared = fanOut.find(context);
        shared?.attach(new SocketSink(context.socket, context.operationId));
        return (shared ?? results) as never;
      },
      onSubscribe: async ({ extra, subscriptions }, id, params) => {
        if (Object.keys(subscriptions).length > limits.operationsPerConnection) return [tooManyOperations(limits)];
        // Its peer has not answered the close: it may have lost its rights.
        if (extra.socket.readyState !== extra.socket.OPEN) return [closing()];
        if (extra.principal === undefined) throw new Error('an operation on a connection without a principal');
        const tooDeep = depthError(params.variables, limits.variableDepth);
        if (tooDeep) return withoutInternals([tooDeep]);
        const resolved = documents.resolve(params);
        if ('error' in resolved) return withoutInternals([resolved.error]);
        const { schema, execute, subscribe, contextFactory, parse, validate } = graphql.getEnveloped({
          principal: extra.principal,
          requestId: requestIdFrom(null),
          address: addressOf(extra.request.socket.remoteAddress, extra.request.headers['x-forwarded-for']),
          socket: extra.socket,
          operationId: id,
          params,
        });
        try {
          const document = parse(resolved.query ?? '');
          const errors = validate(schema, document);
          if (errors.length > 0) return withoutInternals(errors);
          if (!getOperationAST(document, params.operationName)) return [unknownOperation()];
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
    pingInterval,
  );

  return async (): Promise<void> => {
    server.off('upgrade', upgrade);
    await Promise.all([...sockets.clients].map((socket) => running.close(socket)));
    await serving.dispose();
  };
}

/** Closes a socket. It is cut off if the peer does not answer the close in time. */
function closeSoon(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason);
  const timer = setTimeout(() => socket.terminate(), closeWithin);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}

interface OperationContext {
  readonly socket: WebSocket;
  readonly operationId: string;
}

/** Running queries and mutations per socket. */
class RunningOperations {
  private readonly counts = new WeakMap<WebSocket, number>();
  private readonly closing = new Set<WebSocket>();

  track<T>(socket: WebSocket, result: T): T {
    if (!(result instanceof Promise)) return result;
    this.count(socket, 1);
    // Later than the answer is sent.
    const done = (): unknown => setImmediate(() => this.count(socket, -1));
    result.then(done, done);
    return result;
  }

  /**
   * Closes a socket after its last query or mutation is answered. Subscriptions are not completed: their clients
   * reconnect.
   */
  async close(socket: WebSocket): Promise<void> {
    if (socket.readyState === socket.CLOSED) return;
    const closed = once(socket, 'close');
    this.closing.add(socket);
    this.count(socket, 0);
    await closed;
  }

  private count(socket: WebSocket, change: number): void {
    const count = (this.counts.get(socket) ?? 0) + change;
    this.counts.set(socket, count);
    if (count === 0 && this.closing.delete(socket)) socket.close(serviceRestart, 'Service restart');
  }
}

const tooManyOperations = ({ operationsPerConnection }: WebSocketOptions['limits']): GraphQLError =>
  new GraphQLError(
    `This connection already has ${operationsPerConnection} operations under way. End one first, or open another connection.`,
    { extensions: { code: 'TOO_MANY_OPERATIONS' } },
  );

const closing = (): GraphQLError =>
  new GraphQLError('This connection is being closed. Open another one.', {
    extensions: { code: 'UNAUTHENTICATED' },
  });

const unknownOperation = (): GraphQLError =>
  new GraphQLError('Could not determine what operation to execute.', {
    extensions: { code: 'OPERATION_RESOLUTION_FAILURE' },
  });
