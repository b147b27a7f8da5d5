/** Servers with a clock that can be held, and the scenario that is carried out on them. */
import { type OwnPostgresServer, startPostgres } from '../../support/postgres.ts';
import { build, scratchDirectory, serverEnvironment } from '../../support/server-process.ts';
import { token } from '../client.ts';
import { Random } from '../random.ts';
import { Server } from '../server.ts';
import { HeldClock } from './held-clock.ts';
import { LiveOutcome, speed } from './live.ts';
import type { Scenario } from './scenario.ts';

/** `killing`: the share of requests and commands near which a server is killed. */
export interface Killing {
  readonly killing: number;
  readonly maxKills: number;
}

export class Stage {
  readonly run: LiveOutcome;
  private readonly servers: readonly Server[];

  private constructor(
    scenario: Scenario,
    { killing, maxKills }: Killing,
    private readonly postgres: OwnPostgresServer | null,
    databaseUrl: string | null,
    private readonly scratch: { readonly path: string; remove(): void },
  ) {
    const dataDir = `${scratch.path}/data`;
    const clock = new HeldClock(`${scratch.path}/clock`);
    const config = { ...scenario.config, clock: { speed }, adapter: { kind: 'dry-run' } };
    const environment = {
      ...clock.environment,
      LEASEGRAPH_ADMIN_TOKEN: token,
      ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }),
    };
    const names = databaseUrl === null ? ['server'] : ['server 1', 'server 2'];
    this.servers = names.map((name) => new Server(name, serverEnvironment({ dataDir, config, environment })));
    this.run = new LiveOutcome(this.servers, clock, scenario, new Random(scenario.seed), killing, maxKills);
  }

  /** One server on the embedded database, or two on PostgreSQL. */
  static async begin(database: 'embedded' | 'server', scenario: Scenario, killing: Killing): Promise<Stage> {
    await build();
    const scratch = scratchDirectory();
    const postgres = database === 'server' ? await startPostgres() : null;
    const databaseUrl = postgres ? postgres.url(await postgres.createDatabase()) : null;
    const stage = new Stage(scenario, killing, postgres, databaseUrl, scratch);
    for (const server of stage.servers) server.start();
    return stage;
  }

  /** Errors in the servers' logs that must not occur. */
  get strange(): string[] {
    // Leases may fail: whether they do is compared.
    return this.servers.flatMap(({ strange }) => strange).filter((line) => !line.includes('| lease failed |'));
  }

  /** The last lines of the servers' logs. */
  log(): string {
    return this.servers.map(({ name, lastLines }) => `${name}:\n${lastLines.join('\n')}`).join('\n');
  }

  async dispose(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.dispose()));
    await this.postgres?.dispose();
    this.scratch.remove();
  }
}
