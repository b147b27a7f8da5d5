/** Servers, a database, callers and subscribers, and the faults between them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { demonstrationSite } from '../../src/config/index.ts';
import { type OwnPostgresServer, startPostgres } from '../support/postgres.ts';
import { build, run, scratchDirectory, serverEnvironment } from '../support/server-process.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { account } from './account.ts';
import { token } from './client.ts';
import { failCommits } from './commit-faults.ts';
import { Load } from './load.ts';
import { Random } from './random.ts';
import { Server } from './server.ts';
import { overSse, overWebSocket, Subscriber } from './subscriber.ts';

export interface WorldOptions {
  readonly database: 'embedded' | 'server';
  readonly servers: number;
  readonly callers: number;
  /** The maximum pause between two calls of one caller (ms). */
  readonly pause: number;
  /** The share of commits that fail, for each of two causes (commit-faults.ts). */
  readonly failingPercent: number;
  readonly seed: number;
  /** Site seconds per second. */
  readonly speed?: number;
}

/** Scheduler configurations that exercise many state transitions. */
const schedulers = [
  { backfilling: 'conservative', suspension: 'all', preemption: 'ar-preempts-everything', migration: 'yes' },
  {
    backfilling: 'aggressive',
    suspension: 'all',
    preemption: 'ar-preempts-everything',
    preparation: 'imagetransfer',
    imageTransfer: { reuse: 'image-caches' },
  },
  { backfilling: 'conservative', preemption: 'ar-preempts-everything', shutdownTime: 20 },
];

export class World {
  /** The address of the servers' database, for direct access. */
  readonly place: { readonly databaseUrl: string | null; readonly dataDir: string };
  readonly servers: readonly Server[];
  readonly load: Load;
  readonly subscribers: readonly Subscriber[];
  readonly random: Random;

  private constructor(
    options: WorldOptions,
    readonly postgres: OwnPostgresServer | null,
    readonly proxy: TcpProxy | null,
    databaseUrl: string | null,
    private readonly scratch: { readonly path: string; remove(): void },
  ) {
    const { servers, callers, pause, seed, speed = 600 } = options;
    const dataDir = `${scratch.path}/data`;
    this.place = { databaseUrl, dataDir };
    this.random = new Random(seed);
    const config = {
      clock: { speed },
      adapter: { kind: 'dry-run' },
      actions: { retention: null },
      scheduler: this.random.pick(schedulers),
    };
    const environment = {
      LEASEGRAPH_ADMIN_TOKEN: token,
      // The dry run logs the actions of hosts there.
      LEASEGRAPH_LOG_LEVEL: 'info',
      ...(databaseUrl !== null && { DATABASE_URL: throughProxy(databaseUrl, proxy) }),
    };
    this.servers = Array.from(
      { length: servers },
      (_, index) => new Server(`server ${index + 1}`, serverEnvironment({ dataDir, config, environment })),
    );
    const random = this.random;
    this.load = new Load({ servers: this.servers, random: random.fork(), callers, pause, speed });
    this.subscribers = [
      new Subscriber('the SSE subscriber', this.servers, overSse, random.fork()),
      new Subscriber('the WebSocket subscriber', this.servers, overWebSocket, random.fork()),
    ];
  }

  /** A running world: its servers listen, and the first command is answered. */
  static async begin(options: WorldOptions): Promise<World> {
    await build();
    const scratch = scratchDirectory();
    let postgres: OwnPostgresServer | null = null;
    let proxy: TcpProxy | null = null;
    let databaseUrl: string | null = null;
    if (options.database === 'server') {
      postgres = await startPostgres();
      proxy = await startTcpProxy(postgres);
      databaseUrl = postgres.url(await postgres.createDatabase());
    }
    const world = new World(options, postgres, proxy, databaseUrl, scratch);
    const { failingPercent: percent, seed } = options;
    if (percent > 0) await failCommits(world.place, { seed, percent });
    for (const server of world.servers) server.start();
    const progress = world.load.progress();
    world.load.start();
    await progress;
    return world;
  }

  /**
   * Ends the load, waits for everything to finish, and stops the servers with SIGTERM. Returns all errors as text.
   */
  async end(): Promise<string[]> {
    const { load, place, servers, subscribers } = this;
    await load.stop();
    await this.untilNothingIsLeft();
    // The metrics may have counted leases before their end was written.
    for (let seen = -1, last = await this.lastEvent(); seen < last; last = await this.lastEvent()) {
      await Promise.all(subscribers.map((subscriber) => subscriber.until(last)));
      await this.untilNothingIsLeft();
      seen = last;
    }
    await Promise.all(subscribers.map((subscriber) => subscriber.stop()));
    const exits = await Promise.all(servers.map((server) => server.stop()));
    const checked = await run(['check', '--json'], {
      LEASEGRAPH_DATA_DIR: place.dataDir,
      ...(place.databaseUrl !== null && { DATABASE_URL: place.databaseUrl }),
    });
    return [
      ...load.strange,
      ...servers.flatMap(({ strange }) => strange),
      ...subscribers.flatMap(({ strange }) => strange),
      ...exits.flatMap(({ code }, index) => (code === 0 ? [] : [`${servers[index]?.name} ended with ${code}`])),
      ...(checked.code === 0 ? [] : [`leasegraph check: ${checked.stdout}${checked.stderr}`]),
      ...(await account(place, demonstrationSite.spec, {
        acknowledged: load.acknowledged,
        cancelled: load.cancelled,
        actions: servers.flatMap(({ actions }) => actions),
        seen: { SSE: subscribers[0]?.seen ?? [], WebSocket: subscribers[1]?.seen ?? [] },
      })),
    ];
  }

  /** Leaves no process and no file behind, in any case. */
  async dispose(): Promise<void> {
    await Promise.all(this.subscribers.map((subscriber) => subscriber.stop()));
    await Promise.all(this.servers.map((server) => server.dispose()));
    await this.load.abandon();
    await this.proxy?.close();
    await this.postgres?.dispose();
    this.scratch.remove();
  }

  summary(): string {
    const { load, servers, subscribers } = this;
    return [
      `${load.answered} commands answered, ${load.acknowledged.length} leases acknowledged, ${load.cancelled.size} cancelled`,
      `${subscribers[0]?.seen.length} events`,
      `${servers.reduce((sum, { actions }) => sum + actions.length, 0)} calls of hosts seen`,
      `${servers.reduce((sum, { starts }) => sum + starts, 0)} server starts`,
      `${subscribers.map(({ reconnections }) => reconnections).join(' and ')} subscriptions`,
    ].join('; ');
  }

  /** The server that writes, once one reports it. */
  async writer(among: readonly Server[] = this.servers): Promise<Server> {
    for (;;) {
      for (const server of among) if ((await roleOf(server)) === 'writer') return server;
      await sleep(20);
    }
  }

  /** Resolves when all leases have ended and all actions are recorded, according to the servers' metrics. */
  private async untilNothingIsLeft(): Promise<void> {
    for (;;) {
      const readings = await Promise.all(this.servers.map((server) => metrics(server)));
      const writer = readings.find((each) => each.get('leasegraph_role{role="writer"}') === 1);
      if (writer?.get('leasegraph_live_leases') === 0 && writer.get('leasegraph_actions_open') === 0) return;
      await sleep(100);
    }
  }

  private async lastEvent(): Promise<number> {
    const readings = await Promise.all(this.servers.map((server) => metrics(server)));
    return Math.max(...readings.map((each) => each.get('leasegraph_last_event_sequence') ?? 0));
  }
}

/** The answer of /readyz; null if there is none. */
export const roleOf = async (server: Server): Promise<string | null> => {
  try {
    const url = new URL('/readyz', await server.url(AbortSignal.timeout(1_000)));
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(1_000),
    });
    return ((await response.json()) as { role: string }).role;
  } catch {
    return null;
  }
};

/** The values of /metrics by name and labels; empty if the server does not answer. */
export const metrics = async (server: Server): Promise<ReadonlyMap<string, number>> => {
  try {
    const url = new URL('/metrics', await server.url(AbortSignal.timeout(20_000)));
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(20_000),
    });
    const lines = (await response.text()).split('\n').filter((line) => !line.startsWith('#'));
    return new Map(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
    );
  } catch {
    return new Map();
  }
};

const throughProxy = (databaseUrl: string, proxy: TcpProxy | null): string => {
  if (!proxy) return databaseUrl;
  const url = new URL(databaseUrl);
  url.host = `${proxy.host}:${proxy.port}`;
  return url.href;
};
