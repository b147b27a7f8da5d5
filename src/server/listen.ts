import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { App } from './app.ts';

/** The port cannot be had. Its message is for people. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

export interface Listening {
  /** Without a path. */
  readonly url: string;
  /** Answers with the app from now on. */
  serve(app: App): void;
  /** Takes no more connections, completes subscriptions, lets requests finish, and ends what has not finished by the deadline (milliseconds). */
  close(deadline: number): Promise<void>;
}

/**
 * Takes the port. Until there is an app the server is alive and not ready: so a port that is in use is found out before
 * anything else is touched, and who watches it sees it start. Throws ListenError.
 */
export async function listen(host: string, port: number): Promise<Listening> {
  let app: App | null = null;
  const listener: RequestListener = (request, response) =>
    app ? app.listener(request, response) : starting(request, response);
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 15_000 }, listener);
  // Those that have become WebSockets, of which the server itself does not know any more, are among them.
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    if (connections.has(socket)) return;
    connections.add(socket);
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
      server.close();
      const timer = setTimeout(() => {
        for (const socket of connections) socket.destroy();
      }, deadline);
      // Connections whose last answer has just gone out are kept alive by their clients: they are looked for again and again.
      const sweep = setInterval(() => server.closeIdleConnections(), 20);
      await app?.endSubscriptions();
      await closed;
      clearTimeout(timer);
      clearInterval(sweep);
    },
  };
}

const starting: RequestListener = (request, response) => {
  const alive = request.url === '/livez';
  response.writeHead(alive ? 200 : 503, { 'content-type': 'application/json' });
  const problem = 'The server is starting.';
  response.end(
    JSON.stringify(
      alive
        ? { status: 'alive' }
        : request.url === '/readyz'
          ? { status: 'not ready', role: 'starting', problems: [problem] }
          : { errors: [{ message: problem, extensions: { code: 'UNAVAILABLE' } }] },
    ),
  );
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
    if (code === 'EACCES')
      throw new ListenError(`${where} may not be used by this user. Set PORT to 1024 or more.`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new ListenError(
        `${host} is no address of this machine. Set HOST to one, such as 127.0.0.1 or 0.0.0.0.`,
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
