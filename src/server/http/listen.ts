import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { connectionAccepted } from '../../api/index.ts';
import type { App } from '../app.ts';
import { failure, json } from './answer.ts';

/** The port cannot be used. The message is for people. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

export interface Listening {
  /** Without a path. */
  readonly url: string;
  /** Installs the app. */
  serve(app: App): void;
  /**
   * Stops accepting connections, cuts subscriptions, lets requests finish, and closes the rest at the deadline
   * (milliseconds).
   */
  close(deadline: number): Promise<void>;
}

/**
 * Longer than the idle timeout of common proxies (60 s), so that a proxy never uses a connection that is being closed.
 */
const keepAliveTimeout = 65_000;
/** How long idle connections stay open during a stop (ms), so that requests in transit are still answered. */
const idleGrace = 200;

/**
 * Opens the port. Until the app is installed, the server is live but not ready: a port in use is detected before
 * anything else is touched, and the start can be observed. Throws ListenError.
 */
export async function listen(host: string, port: number): Promise<Listening> {
  let app: App | null = null;
  const listener: RequestListener = (request, response) =>
    app ? app.listener(request, response) : starting(request, response);
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 15_000, keepAliveTimeout }, listener);
  // Includes WebSockets, which the HTTP server no longer tracks.
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    if (connections.has(socket)) return;
    connections.add(socket);
    connectionAccepted();
    socket.once('close', () => connections.delete(socket));
  });
  await bind(server, host, port);
  return {
    url: urlOf(server.address() as AddressInfo),
    serve: (ready) => {
      app = ready;
      ready.attach(server);
    },
    close: async (deadline) => {
      const closed = once(server, 'close');
      // `close` of an HTTP server would close idle connections at once.
      NetServer.prototype.close.call(server);
      const timer = setTimeout(() => {
        for (const socket of connections) socket.destroy();
      }, deadline);
      await app?.endSubscriptions();
      let sweep: NodeJS.Timeout | undefined;
      const grace = setTimeout(
        () => {
          server.closeIdleConnections();
          sweep = setInterval(() => server.closeIdleConnections(), 20);
        },
        connections.size > 0 ? Math.min(idleGrace, deadline / 2) : 0,
      );
      await closed;
      clearTimeout(timer);
      clearTimeout(grace);
      clearInterval(sweep);
      server.closeIdleConnections();
    },
  };
}

const starting: RequestListener = (request, response) => {
  const { status, headers, body } =
    request.url === '/livez'
      ? json({ status: 'alive' })
      : request.url === '/readyz'
        ? json({ status: 'not ready' }, 503)
        : failure(503, 'UNAVAILABLE', 'The server is starting.');
  response.writeHead(status, headers);
  response.end(body);
};

async function bind(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const where = `port ${port} of ${host}`;
    if (code === 'EADDRINUSE') {
      throw new ListenError(`${where} is in use by another process. Stop it, or set PORT to another port.`);
    }
    if (code === 'EACCES') throw new ListenError(`${where} cannot be used by this user. Set PORT to 1024 or more.`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new ListenError(
        `${host} is not an address of this machine. Set HOST to one that is, such as 127.0.0.1 or 0.0.0.0.`,
      );
    }
    throw new ListenError(`${where} cannot be used: ${message}`);
  }
}

function urlOf({ address, family, port }: AddressInfo): string {
  const any = address === '0.0.0.0' || address === '::';
  const host = any ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
