/** A TCP proxy between a client and its server, for tests that break connections. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  readonly host: string;
  readonly port: number;
  /** How many connections are open. */
  readonly connections: number;
  /**
   * Breaks every connection at once; new ones are accepted. With `only`, those for which it says so, by what the client
   * has sent.
   */
  cut(only?: (sent: string) => boolean): void;
  /**
   * Half-open: connections stay, but not a byte passes any more in either direction, nor does the end of either side.
   * New ones hang too.
   */
  pause(only?: (sent: string) => boolean): void;
  /** Lets everything pass again, also what has been held back. */
  resume(): void;
  /**
   * Sees each piece of what clients send. `before` breaks the connection instead of passing it on, `after` when it has
   * been passed on.
   */
  onSend: ((piece: string) => 'before' | 'after' | null) | null;
  /** Refuses new connections and breaks the present ones, as a server that is down. */
  refuse(): Promise<void>;
  /** Accepts connections again. */
  accept(): Promise<void>;
  close(): Promise<void>;
}

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  /** The beginning of what the client has sent, as text. */
  sent: string;
  paused: boolean;
}

const remembered = 100_000;

export async function startTcpProxy(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
  const links = new Set<Link>();
  let paused = false;

  const listener = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    const server = connect({ ...target, allowHalfOpen: true });
    const link: Link = { client, server, sent: '', paused };
    links.add(link);
    const end = () => {
      // Held back like everything else while the link is paused.
      if (link.paused) return;
      links.delete(link);
      client.destroy();
      server.destroy();
    };
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('data', (chunk: Buffer) => {
        const piece = from === client ? chunk.toString('latin1') : '';
        if (link.sent.length < remembered) link.sent += piece;
        const fate = piece === '' ? null : (proxy.onSend?.(piece) ?? null);
        if (fate !== 'before' && !to.destroyed) to.write(chunk);
        if (fate !== null) {
          links.delete(link);
          client.resetAndDestroy();
          server.end();
        }
      });
      from.on('end', end);
      from.on('close', end);
      from.on('error', end);
    }
    apply(link);
  });

  const apply = (link: Link) => {
    for (const socket of [link.client, link.server]) {
      if (link.paused) socket.pause();
      else socket.resume();
    }
  };
  const chosen = (only?: (sent: string) => boolean) =>
    [...links].filter((link) => only === undefined || only(link.sent));
  const cut: TcpProxy['cut'] = (only) => {
    for (const link of chosen(only)) {
      links.delete(link);
      link.client.resetAndDestroy();
      link.server.destroy();
    }
  };
  const listen = async (port: number) => {
    listener.listen(port, '127.0.0.1');
    await once(listener, 'listening');
  };
  await listen(0);
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const { port } = address;
  const refuse = async () => {
    if (!listener.listening) return;
    const closed = once(listener, 'close');
    listener.close();
    cut();
    await closed;
  };

  const proxy: TcpProxy = {
    host: '127.0.0.1',
    port,
    onSend: null,
    get connections() {
      return links.size;
    },
    cut,
    pause: (only) => {
      if (only === undefined) paused = true;
      for (const link of chosen(only)) {
        link.paused = true;
        apply(link);
      }
    },
    resume: () => {
      paused = false;
      for (const link of links) {
        link.paused = false;
        apply(link);
        if (link.client.destroyed || link.server.destroyed) {
          links.delete(link);
          link.client.destroy();
          link.server.destroy();
        }
      }
    },
    refuse,
    accept: () => (listener.listening ? Promise.resolve() : listen(port)),
    close: refuse,
  };
  return proxy;
}
