/**
 * Clients that watch all events, each by a different protocol, and reconnect with the last number that they saw when
 * they are disconnected.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient as sseClient } from 'graphql-sse';
import { createClient as socketClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { headers } from './client.ts';
import type { Random } from './random.ts';
import type { Server } from './server.ts';

export interface SeenEvent {
  readonly sequence: number;
  readonly from: string;
  readonly to: string;
  readonly lease: { readonly number: number };
}

type Results = AsyncIterableIterator<{ readonly data?: unknown; readonly errors?: unknown }>;

export type Protocol = (url: string, query: string) => { readonly results: Results; close(): unknown };

export const overSse: Protocol = (url, query) => {
  const client = sseClient({ url, headers, retryAttempts: 0 });
  return { results: client.iterate({ query }) as Results, close: () => client.dispose() };
};

export const overWebSocket: Protocol = (url, query) => {
  const client = socketClient({
    url: url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: { authorization: headers.authorization },
    retryAttempts: 0,
  });
  return { results: client.iterate({ query }) as Results, close: () => client.dispose() };
};

export class Subscriber {
  readonly seen: SeenEvent[] = [];
  readonly strange: string[] = [];
  reconnections = 0;
  private over = false;
  private close: () => unknown = () => {};
  private readonly running: Promise<void>;
  private waiting: { readonly sequence: number; readonly resolve: () => void } | null = null;
  private readonly ending = new AbortController();

  constructor(
    private readonly name: string,
    private readonly servers: readonly Server[],
    private readonly protocol: Protocol,
    private readonly random: Random,
  ) {
    this.running = this.run();
  }

  get last(): number {
    return this.seen.at(-1)?.sequence ?? 0;
  }

  /** Resolves when it has seen an event. */
  until(sequence: number): Promise<void> {
    return new Promise((resolve) => {
      this.waiting = { sequence, resolve };
      this.check();
    });
  }

  /** Disconnects and reconnects, possibly to another server. */
  reconnect(): void {
    this.close();
  }

  async stop(): Promise<void> {
    this.over = true;
    this.ending.abort();
    this.close();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.over) {
      const url = await this.random
        .pick(this.servers)
        .url(this.ending.signal)
        .catch(() => null);
      if (url === null) continue;
      const { results, close } = this.protocol(
        url,
        `subscription { leaseEvents(after: ${this.last}) { sequence from to lease { number } } }`,
      );
      this.close = close;
      this.reconnections += 1;
      try {
        for await (const { data, errors } of results) {
          // Events that could not be read while the database was down are read again.
          if (errors || !data) break;
          this.take((data as { leaseEvents: SeenEvent }).leaseEvents);
        }
      } catch {
        // Disconnected; it reconnects.
      }
      await Promise.resolve(close()).catch(() => {});
      await sleep(this.random.between(5, 50));
    }
  }

  private take(event: SeenEvent): void {
    if (event.sequence !== this.last + 1) {
      this.strange.push(`${this.name} saw event ${event.sequence} after event ${this.last}`);
    }
    this.seen.push(event);
    this.check();
  }

  private check(): void {
    if (!this.waiting || this.last < this.waiting.sequence) return;
    this.waiting.resolve();
    this.waiting = null;
  }
}
