import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { codeOf } from './errors.ts';

/** Delay before the pool again tries to exceed the number of connections that the server last granted (ms). */
const growthPause = 5_000;

export interface PoolOptions extends pg.PoolConfig {
  readonly max: number;
  /** How long a query waits for a connection (ms). */
  readonly patience: number;
}

type Callback = (error: Error | undefined, client: pg.PoolClient | undefined, done: (error?: Error) => void) => void;

/**
 * A pool that continues with its current connections when the server grants no more: queries wait for one of them. The
 * limits of a role, database, server or pooler are often lower than the pool size.
 */
export class PatientPool extends pg.Pool {
  private readonly patience: number;
  private readonly size: number;
  private growth: NodeJS.Timeout | null = null;

  constructor({ patience, ...config }: PoolOptions) {
    super(config);
    this.patience = patience;
    this.size = config.max;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<pg.PoolClient> | undefined {
    const connected = this.wait();
    if (callback === undefined) return connected;
    connected.then(
      (client) => callback(undefined, client, (error) => client.release(error)),
      (error: Error) => callback(error, undefined, () => {}),
    );
    return undefined;
  }

  private async wait(): Promise<pg.PoolClient> {
    const until = performance.now() + this.patience;
    for (;;) {
      try {
        return await super.connect();
      } catch (error) {
        const refused = isRefused(error);
        if (this.ending || performance.now() > until || !(refused || isStillWaiting(error))) throw error;
        if (refused) this.shrink();
        // Without any connection, waiting is pointless.
        if (this.totalCount === 0) await sleep(100);
      }
    }
  }

  private shrink(): void {
    this.options.max = Math.max(1, this.totalCount);
    this.growth ??= setTimeout(() => {
      this.growth = null;
      this.options.max = this.size;
    }, growthPause).unref();
  }
}

/** The server, role, database or pooler has reached its connection limit. */
function isRefused(error: unknown): boolean {
  return codeOf(error) === '53300' || (error instanceof Error && /no more connections allowed/.test(error.message));
}

/** All connections of the pool are in use. */
function isStillWaiting(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect';
}
