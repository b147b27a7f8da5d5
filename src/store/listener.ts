import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from './connection.ts';
import { type Channel, channels, type Notification } from './database.ts';
import type { ConnectionSettings } from './database-url.ts';
import type { StoreLog } from './log.ts';

const minPause = 100;
const maxPause = 5_000;

/** Listens for notifications on its own connection and reconnects after a loss. */
export class Listener {
  private readonly settings: ConnectionSettings;
  private readonly log: StoreLog;
  private readonly ownProcess: () => number | null;
  private readonly subscribers = new Set<(notification: Notification) => void>();
  private readonly closing = new AbortController();
  private running: Promise<void> | null = null;
  private attempted: Promise<void> | null = null;

  /** `ownProcess`: the backend process id of this process's writer connection. */
  constructor(settings: ConnectionSettings, log: StoreLog, ownProcess: () => number | null) {
    this.settings = settings;
    this.log = log;
    this.ownProcess = ownProcess;
  }

  /** Resolves when it listens, or when the server is unreachable, in which case it keeps trying. */
  async subscribe(onNotification: (notification: Notification) => void): Promise<AsyncDisposable> {
    this.subscribers.add(onNotification);
    if (this.running === null) {
      let attempted = () => {};
      this.attempted = new Promise((resolve) => {
        attempted = resolve;
      });
      this.running = this.run(attempted);
    }
    await this.attempted;
    return {
      [Symbol.asyncDispose]: async () => {
        this.subscribers.delete(onNotification);
      },
    };
  }

  async close(): Promise<void> {
    this.subscribers.clear();
    this.closing.abort();
    await this.running;
  }

  private async run(attempted: () => void): Promise<void> {
    const { signal } = this.closing;
    let pause = minPause;
    let reconnected = false;
    while (!signal.aborted) {
      const connection = await this.connect();
      if (connection !== null) {
        pause = minPause;
        // Notifications sent in the meantime were missed.
        if (reconnected) for (const channel of channels) this.notify({ channel, own: false });
        attempted();
        await ended(connection, signal);
        await connection.close();
      }
      attempted();
      reconnected = true;
      if (signal.aborted) break;
      await sleep(pause * (0.5 + Math.random()), undefined, { signal }).catch(() => {});
      pause = Math.min(2 * pause, maxPause);
    }
  }

  private async connect(): Promise<Connection | null> {
    let connection: Connection | null = null;
    try {
      connection = await Connection.open(this.settings, maxPause);
      connection.onNotification((message) => {
        this.notify({
          channel: message.channel as Channel,
          own: message.processId === this.ownProcess(),
        });
      });
      await connection.query(channels.map((channel) => `LISTEN ${channel}`).join('; '));
      return connection;
    } catch (error) {
      this.log.debug({ err: error }, 'cannot listen to the database; trying again');
      await connection?.close();
      return null;
    }
  }

  private notify(notification: Notification): void {
    for (const subscriber of this.subscribers) subscriber(notification);
  }
}

function ended(connection: Connection, closing: AbortSignal): Promise<void> {
  if (connection.lost.aborted || closing.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      connection.lost.removeEventListener('abort', done);
      closing.removeEventListener('abort', done);
      resolve();
    };
    connection.lost.addEventListener('abort', done);
    closing.addEventListener('abort', done);
  });
}
